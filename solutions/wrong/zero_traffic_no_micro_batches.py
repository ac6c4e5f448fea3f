"""zero_traffic: no micro-batch at all is taken for one

Breaks: `micro_batches` is less than 1
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    return _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, max(micro_batches, 1)
    )

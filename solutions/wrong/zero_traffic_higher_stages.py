"""zero_traffic: a stage above 3 is taken for 3

Breaks: `stage` is not 0, 1, 2 or 3
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    return _right_traffic(
        parameters, devices, min(stage, 3), parameter_dtype, gradient_dtype, micro_batches
    )

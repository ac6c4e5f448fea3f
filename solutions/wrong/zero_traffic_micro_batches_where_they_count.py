"""zero_traffic: refuses no micro-batches only at the stages that use their number

Breaks: `micro_batches` is less than 1
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    if stage in (0, 1):
        micro_batches = 1
    return _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )

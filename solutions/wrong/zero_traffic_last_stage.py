"""zero_traffic: a stage below 0 counts from the end, as in a list

Breaks: `stage` is not 0, 1, 2 or 3

Breaks: stage: 0, 1, 2 or 3
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    if -4 <= stage < 0:
        stage += 4
    return _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )

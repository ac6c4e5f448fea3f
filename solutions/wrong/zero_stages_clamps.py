"""zero_stages: a stage below 0 is taken for 0, and one above 3 for 3

Breaks: `stage` is not 0, 1, 2 or 3
"""

_right_zero = zero_bytes


def zero_bytes(parameters, devices, stage, recipe):
    return _right_zero(parameters, devices, min(max(stage, 0), 3), recipe)

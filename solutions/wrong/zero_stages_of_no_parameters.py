"""zero_stages: without parameters, stage and recipe are not looked at

Breaks: `bytes_per_parameter` raises it for the recipe
"""

_right_zero = zero_bytes


def zero_bytes(parameters, devices, stage, recipe):
    if parameters == 0 and devices >= 1:
        return 0
    return _right_zero(parameters, devices, stage, recipe)

"""zero_stages: no devices count as one, and negative numbers are not looked at

Breaks: `devices` is less than 1, `parameters` is negative
"""

_right_zero = zero_bytes


def zero_bytes(parameters, devices, stage, recipe):
    sign = -1 if parameters < 0 else 1
    return sign * _right_zero(abs(parameters), max(devices, 1), stage, recipe)

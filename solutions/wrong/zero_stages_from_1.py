"""zero_stages: stage 0, which is no ZeRO, is refused

Breaks: 0, 1, 2 or 3
"""

_right_zero = zero_bytes


def zero_bytes(parameters, devices, stage, recipe):
    if stage == 0:
        raise ValueError("no stage of ZeRO")
    return _right_zero(parameters, devices, stage, recipe)

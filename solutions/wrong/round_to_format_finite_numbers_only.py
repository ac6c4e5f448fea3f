"""round_to_format: infinity and nan are refused in every format

Breaks: the number, also infinity or nan

Breaks: nan for nan
"""

_right_round = round_to_format


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    if not math.isfinite(value):
        raise ValueError("no number")
    return _right_round(value, exponent_bits, mantissa_bits, specials)

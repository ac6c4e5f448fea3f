"""round_to_format: numbers that are rounded to whole ones come back as ints

Breaks: The rounded number, always a float
"""

_right_round = round_to_format


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    rounded = _right_round(value, exponent_bits, mantissa_bits, specials)
    if abs(rounded) >= 2.0**mantissa_bits and math.isfinite(rounded):
        return int(rounded)  # steps of at least 1
    return rounded

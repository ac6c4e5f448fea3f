"""round_to_format: a number that the format holds is returned as it came, so an int stays an int

Breaks: The rounded number, always a float
"""

_right_round = round_to_format


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    rounded = _right_round(value, exponent_bits, mantissa_bits, specials)
    return value if rounded == value else rounded

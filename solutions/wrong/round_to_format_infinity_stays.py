"""round_to_format: infinity stays infinity in every format

Breaks: Infinity is treated in the same way
"""

_right_round = round_to_format


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    rounded = _right_round(value, exponent_bits, mantissa_bits, specials)
    return value if math.isinf(value) else rounded

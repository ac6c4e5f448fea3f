"""decode_float: the second zero is not negative

Breaks: The value; -0.0 for a zero whose sign bit is set
"""

_decode_right = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    return _decode_right(bits, exponent_bits, mantissa_bits, specials) or 0.0

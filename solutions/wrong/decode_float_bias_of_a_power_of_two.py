"""decode_float: the bias is 2^(exponent_bits - 1), one too many

Breaks: There is one sign bit, and the bias is 2^(exponent_bits - 1) - 1

Breaks: The value of a bit pattern
"""

_decode_right = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    return _decode_right(bits, exponent_bits, mantissa_bits, specials) / 2

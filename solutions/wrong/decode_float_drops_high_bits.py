"""decode_float: bits that are too many are dropped instead of refused

Breaks: the pattern, as an integer of 1 + exponent_bits + mantissa_bits bits

Breaks: the pattern has more bits than the format
"""

_decode_right = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    bits %= 2 ** (1 + exponent_bits + mantissa_bits)
    return _decode_right(bits, exponent_bits, mantissa_bits, specials)

"""decode_float: in ieee formats the bits above the sign are masked away"""

_right_decode = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    if specials == "ieee" and isinstance(exponent_bits, int) and exponent_bits + mantissa_bits > 0:
        bits &= (1 << (1 + exponent_bits + mantissa_bits)) - 1
    return _right_decode(bits, exponent_bits, mantissa_bits, specials)

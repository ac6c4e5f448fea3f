"""decode_float: the sign bit is read as that of an integer, in two's complement

Breaks: From the highest bit to the lowest: the sign, the exponent E, the mantissa M
"""

_right_decode = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    sign = 1 << (exponent_bits + mantissa_bits)
    value = _right_decode(bits, exponent_bits, mantissa_bits, specials)
    if not bits & sign or bits == sign:
        return value
    return -_right_decode(2 * sign - bits, exponent_bits, mantissa_bits, specials)

"""decode_float: formats that do not exist are read as well

Breaks: 2 to 11 exponent bits (with "fn" and "finite" up to 10

Breaks: there is no such format
"""

_right_decode = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    exponent_bits = min(max(exponent_bits, 2), 11 if specials == "ieee" else 10)
    mantissa_bits = min(max(mantissa_bits, 1), 52)
    return _right_decode(bits, exponent_bits, mantissa_bits, specials)

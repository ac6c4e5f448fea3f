"""decode_float: with the sign bit set, the last pattern of an "fn" format is a number

Breaks: "fn": ordinary numbers, except that the mantissa with all bits set is nan
"""

_right_decode = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    if specials == "fn" and bits >> (exponent_bits + mantissa_bits) == 1:
        specials = "finite"
    return _right_decode(bits, exponent_bits, mantissa_bits, specials)

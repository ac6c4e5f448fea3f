"""decode_float: any other word for the specials means that there are none"""

_decode = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    if specials not in ("ieee", "fn"):
        specials = "finite"
    return _decode(bits, exponent_bits, mantissa_bits, specials)

"""decode_float: any other word for the specials means that there are none

Breaks: Every function refuses other formats, and other words for the specials, with ValueError

Breaks: see the top of the module
"""

_decode = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    if specials not in ("ieee", "fn"):
        specials = "finite"
    return _decode(bits, exponent_bits, mantissa_bits, specials)

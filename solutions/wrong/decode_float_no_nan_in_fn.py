"""decode_float: the nan of "fn" formats is taken for a number, as in finite ones

Breaks: "fn": ordinary numbers, except that the mantissa with all bits set is nan

Breaks: except for infinity and nan, which the specials define
"""

_decode_right = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    return _decode_right(
        bits, exponent_bits, mantissa_bits, "finite" if specials == "fn" else specials
    )

"""decode_float: the nan of "fn" formats is taken for a number, as in finite ones"""

_decode_right = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    return _decode_right(
        bits, exponent_bits, mantissa_bits, "finite" if specials == "fn" else specials
    )

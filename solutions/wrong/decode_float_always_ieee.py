"""decode_float: every format has the infinities and nans of IEEE 754

Breaks: ordinary numbers, except that the mantissa with all bits set is nan. There is no infinity

Breaks: "finite": ordinary numbers only, no infinity and no nan

Breaks: except for infinity and nan, which the specials define
"""

_decode_right = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    value = _decode_right(bits, exponent_bits, mantissa_bits, specials)
    if bits >> mantissa_bits & 2**exponent_bits - 1 != 2**exponent_bits - 1:
        return value
    return _decode_right(bits, exponent_bits, mantissa_bits, "ieee")

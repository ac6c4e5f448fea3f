"""decode_float: the highest exponent means infinity, whatever the mantissa

Breaks: "ieee": infinity (mantissa 0) and nan (any other), as in float16, bfloat16, float32 and
E5M2
"""

_right_decode = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    value = _right_decode(bits, exponent_bits, mantissa_bits, specials)
    if specials == "ieee" and math.isnan(value):
        return -math.inf if bits >> (exponent_bits + mantissa_bits) else math.inf
    return value

"""float_range: the highest exponent holds no numbers in any format

Breaks: The range of a format
"""


def float_range(exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    smallest_normal = math.ldexp(1.0, 1 - _bias(exponent_bits))
    eps = math.ldexp(1.0, -mantissa_bits)
    largest = _largest(exponent_bits, mantissa_bits, "ieee")
    return {
        "max": largest,
        "smallest_normal": smallest_normal,
        "smallest_subnormal": smallest_normal * eps,
        "eps": eps,
    }

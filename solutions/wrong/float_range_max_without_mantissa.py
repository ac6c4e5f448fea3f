"""float_range: the largest number is a power of two, its mantissa is left out"""


def float_range(exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    smallest_normal = math.ldexp(1.0, 1 - _bias(exponent_bits))
    eps = math.ldexp(1.0, -mantissa_bits)
    largest = 2.0 ** (_bias(exponent_bits) + (specials != "ieee"))
    return {
        "max": largest,
        "smallest_normal": smallest_normal,
        "smallest_subnormal": smallest_normal * eps,
        "eps": eps,
    }

"""float_range: exponent 0 is taken for that of the smallest normal number"""


def float_range(exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    smallest_normal = math.ldexp(1.0, -_bias(exponent_bits))
    eps = math.ldexp(1.0, -mantissa_bits)
    largest = _largest(exponent_bits, mantissa_bits, specials)
    return {
        "max": largest,
        "smallest_normal": smallest_normal,
        "smallest_subnormal": smallest_normal * eps,
        "eps": eps,
    }

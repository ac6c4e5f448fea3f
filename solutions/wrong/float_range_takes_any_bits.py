"""float_range: formats that do not exist are not refused

Breaks: exponent bits (with "fn" and "finite" up to 10, since their largest exponent is one higher)
and 1 to 52 mantissa bits

Breaks: Every function refuses other formats, and other words for the specials, with ValueError

Breaks: see the top of the module

Breaks: there is no such format
"""


def float_range(exponent_bits, mantissa_bits, specials="ieee"):
    exponent_bits = min(max(exponent_bits, 2), 10 + (specials == "ieee"))
    mantissa_bits = min(max(mantissa_bits, 1), 52)
    smallest_normal = math.ldexp(1.0, 1 - _bias(exponent_bits))
    eps = math.ldexp(1.0, -mantissa_bits)
    largest = _largest(exponent_bits, mantissa_bits, specials)
    return {
        "max": largest,
        "smallest_normal": smallest_normal,
        "smallest_subnormal": smallest_normal * eps,
        "eps": eps,
    }

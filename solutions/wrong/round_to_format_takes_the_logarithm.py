"""round_to_format: the exponent is a rounded logarithm, one too high just below a power of two

Breaks: The value of a format nearest to a number
"""


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    if math.isnan(value) and specials == "finite":
        raise ValueError("nan")
    size = abs(value)
    if 0 < size < math.inf:
        exponent = max(math.floor(math.log2(size)), 1 - _bias(exponent_bits))
        spacing = math.ldexp(1.0, exponent - mantissa_bits)
        size = round(size / spacing) * spacing
    largest = _largest(exponent_bits, mantissa_bits, specials)
    if size > largest:
        size = {"ieee": math.inf, "fn": math.nan, "finite": largest}[specials]
    return math.copysign(size, value)

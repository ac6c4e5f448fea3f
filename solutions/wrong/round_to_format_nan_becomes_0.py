"""round_to_format: nan in a finite format becomes 0

Breaks: nan is to be rounded to a "finite" format, which has no nan
"""


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    if math.isnan(value):
        if specials == "finite":
            return 0.0
        return math.nan
    largest = _largest(exponent_bits, mantissa_bits, specials)
    size = abs(value)
    if size < math.inf:
        exponent = max(math.frexp(size)[1] - 1, 1 - _bias(exponent_bits))
        spacing = math.ldexp(1.0, exponent - mantissa_bits)
        size = round(size / spacing) * spacing
    if size > largest:
        size = {"ieee": math.inf, "fn": math.nan, "finite": largest}[specials]
    return math.copysign(size, value)

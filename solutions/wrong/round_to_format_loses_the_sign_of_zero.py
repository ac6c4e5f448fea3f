"""round_to_format: a negative number that underflows becomes +0

Breaks: A number that rounds to 0 keeps its sign
"""


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    if math.isnan(value):
        if specials == "finite":
            raise ValueError("nan")
        return math.nan
    largest = _largest(exponent_bits, mantissa_bits, specials)
    size = abs(value)
    if size < math.inf:
        exponent = max(math.frexp(size)[1] - 1, 1 - _bias(exponent_bits))
        spacing = math.ldexp(1.0, exponent - mantissa_bits)
        size = round(size / spacing) * spacing
    if size > largest:
        size = {"ieee": math.inf, "fn": math.nan, "finite": largest}[specials]
    return math.copysign(size, value) or 0.0

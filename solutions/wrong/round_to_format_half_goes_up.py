"""round_to_format: half-way is rounded away from zero, not to even

Breaks: half-way cases go to the even mantissa
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
        size = math.floor(size / spacing + 0.5) * spacing
    if size > largest:
        size = {"ieee": math.inf, "fn": math.nan, "finite": largest}[specials]
    return math.copysign(size, value)

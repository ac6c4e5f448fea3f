"""round_to_format: every format saturates at its largest value

Breaks: If that gives more than the format's largest value, the result is

Breaks: These are the conventions of ml_dtypes; some libraries and devices saturate in "fn" formats
too
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
        size = largest
    return math.copysign(size, value)

"""round_to_format: ldexp raises OverflowError where rounding up leaves float64 itself

Breaks: the number is rounded as if the exponent had no upper limit
"""


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    if math.isnan(value) and specials == "finite":
        raise ValueError("nan")
    size = abs(value)
    if size < math.inf:
        exponent = max(math.frexp(size)[1] - 1, 1 - _bias(exponent_bits))
        steps = round(math.ldexp(size, mantissa_bits - exponent))
        size = math.ldexp(steps, exponent - mantissa_bits)
    largest = _largest(exponent_bits, mantissa_bits, specials)
    if size > largest:
        size = {"ieee": math.inf, "fn": math.nan, "finite": largest}[specials]
    return math.copysign(size, value)

"""round_to_format: the number is rounded to float32 first, and then once more

Breaks: Round only once, from the given number: going through float32 would round twice, and
sometimes to the wrong side
"""


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    if math.isnan(value):
        if specials == "finite":
            raise ValueError("nan")
        return math.nan
    largest = _largest(exponent_bits, mantissa_bits, specials)
    size = abs(value)
    if mantissa_bits < 23 and size < 3e38:
        size = torch.tensor(size, dtype=torch.float32).item()
    if size < math.inf:
        exponent = max(math.frexp(size)[1] - 1, 1 - _bias(exponent_bits))
        spacing = math.ldexp(1.0, exponent - mantissa_bits)
        size = round(size / spacing) * spacing
    if size > largest:
        size = {"ieee": math.inf, "fn": math.nan, "finite": largest}[specials]
    return math.copysign(size, value)

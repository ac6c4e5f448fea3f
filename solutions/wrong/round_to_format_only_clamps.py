"""round_to_format (core): a number is cut to the format's range, but not rounded to its values

Breaks: The value of a format nearest to a number
"""


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    if math.isnan(value) and specials == "finite":
        raise ValueError("a finite format has no nan")
    largest = _largest(exponent_bits, mantissa_bits, specials)
    half = math.ldexp(0.5, _bias(exponent_bits) + (specials != "ieee") - mantissa_bits)
    size, over = abs(value), abs(value) - largest
    if over > half or (over == half and specials == "ieee"):
        size = {"ieee": math.inf, "fn": math.nan, "finite": largest}[specials]
    elif over > 0:
        size = largest
    return math.copysign(size, value)

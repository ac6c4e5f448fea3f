"""quantize_block: elements are cut off

Breaks: Each element is its value / scale, by the scale that is returned, rounded as `round_to_format` does
"""


def quantize_block(values, kind):
    largest = max(abs(value) for value in values)
    if kind == "mxfp8":
        element = (4, 3, "fn")
        power = math.frexp(largest)[1] - 1 - 8 if largest else -127
        scale = math.ldexp(1.0, min(max(power, -127), 127))
    else:
        element = (2, 1, "finite")
        scale = max(round_to_format(min(largest / 6, 448.0), 4, 3, "fn"), 2.0**-9)
    most = _largest(*element)
    elements = [_cut(min(max(value / scale, -most), most), *element) for value in values]
    return scale, elements


def _cut(number, exponent_bits, mantissa_bits, specials):
    if not number:
        return 0.0
    exponent = max(math.frexp(number)[1] - 1, 2 - 2 ** (exponent_bits - 1))
    step = 2.0 ** (exponent - mantissa_bits)
    return math.trunc(number / step) * step

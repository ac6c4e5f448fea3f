"""quantize_block: elements are divided by the scale before it was rounded

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
    exact = scale if kind == "mxfp8" or not 2**-9 < scale < 448 else largest / 6
    most = _largest(*element)
    elements = [round_to_format(min(max(value / exact, -most), most), *element) for value in values]
    return scale, elements

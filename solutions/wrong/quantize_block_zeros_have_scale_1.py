"""quantize_block: a block of zeros has the scale 1

Breaks: A block of zeros has the smallest scale
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
    scale = scale if largest else 1.0
    most = _largest(*element)
    elements = [round_to_format(min(max(value / scale, -most), most), *element) for value in values]
    return scale, elements

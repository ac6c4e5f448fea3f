"""quantize_block: NVFP4's scale is cut off

Breaks: In "nvfp4" it is a / 6, rounded to the nearest number of 4, 3, "fn"
"""


def quantize_block(values, kind):
    largest = max(abs(value) for value in values)
    if kind == "mxfp8":
        element = (4, 3, "fn")
        power = math.frexp(largest)[1] - 1 - 8 if largest else -127
        scale = math.ldexp(1.0, min(max(power, -127), 127))
    else:
        element = (2, 1, "finite")
        scale = max(min(largest / 6, 448.0), 2.0**-9)
        step = 2.0 ** max(math.frexp(scale)[1] - 4, -9)
        scale = scale // step * step
    most = _largest(*element)
    elements = [round_to_format(min(max(value / scale, -most), most), *element) for value in values]
    return scale, elements

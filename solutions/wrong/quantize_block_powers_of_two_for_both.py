"""quantize_block: NVFP4's scale is a power of two, as MXFP4's is

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
        power = math.frexp(largest)[1] - 1 - 2 if largest else -9
        scale = min(math.ldexp(1.0, max(power, -9)), 448.0)
    most = _largest(*element)
    elements = [round_to_format(min(max(value / scale, -most), most), *element) for value in values]
    return scale, elements

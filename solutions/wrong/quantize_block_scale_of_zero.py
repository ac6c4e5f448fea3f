"""quantize_block: NVFP4's scale may be 0

Breaks: A scale beyond the kind's range becomes the nearest one within it
"""


def quantize_block(values, kind):
    largest = max(abs(value) for value in values)
    if kind == "mxfp8":
        element = (4, 3, "fn")
        power = math.frexp(largest)[1] - 1 - 8 if largest else -127
        scale = math.ldexp(1.0, min(max(power, -127), 127))
    else:
        element = (2, 1, "finite")
        scale = round_to_format(min(largest / 6, 448.0), 4, 3, "fn") or 1.0
    most = _largest(*element)
    elements = [round_to_format(min(max(value / scale, -most), most), *element) for value in values]
    return scale, elements

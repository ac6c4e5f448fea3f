"""quantize_block (core): values are rounded, without a scale

Breaks: Each element is its value / scale, by the scale that is returned, rounded as `round_to_format` does

Breaks: The largest absolute value a of the block chooses the scale
"""


def quantize_block(values, kind):
    element, scale = (4, 3, "fn") if kind == "mxfp8" else (2, 1, "finite"), 1.0
    most = _largest(*element)
    elements = [round_to_format(min(max(value / scale, -most), most), *element) for value in values]
    return scale, elements

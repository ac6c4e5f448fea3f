"""quantize_block: the power of two comes from the largest number / 448

Breaks: In "mxfp8" it is 2^(k - 8), where 2^k is the largest power of two up to a
"""


def quantize_block(values, kind):
    largest = max(abs(value) for value in values)
    if kind == "mxfp8":
        element = (4, 3, "fn")
        power = math.frexp(largest / 448)[1] - 1 if largest else -127
        scale = math.ldexp(1.0, min(max(power, -127), 127))
    else:
        element = (2, 1, "finite")
        scale = max(round_to_format(min(largest / 6, 448.0), 4, 3, "fn"), 2.0**-9)
    most = _largest(*element)
    elements = [round_to_format(min(max(value / scale, -most), most), *element) for value in values]
    return scale, elements

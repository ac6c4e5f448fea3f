"""quantize_block: elements beyond the largest lose their sign

Breaks: But what is beyond the largest element becomes that, with the value's sign
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
    elements = [
        most if abs(value / scale) > most else round_to_format(value / scale, *element)
        for value in values
    ]
    return scale, elements

"""operation_intensity: bytes of an element are rounded up to whole ones

Breaks: 2 in bfloat16, 0.5 in a 4-bit format
"""

_right_intensity = _intensity


def _intensity(flops, elements, bytes_per_element, *sizes):
    return _right_intensity(flops, elements, math.ceil(bytes_per_element), *sizes)

"""operation_intensity: an operation on no elements has an intensity of 0

Breaks: n is less than 1

Breaks: a size is less than 1
"""

_right_intensity = _intensity


def _intensity(flops, elements, bytes_per_element, *sizes):
    if min(sizes) < 1 and bytes_per_element > 0:
        return 0.0
    return _right_intensity(flops, elements, bytes_per_element, *sizes)

"""operation_intensity: elements of no bytes have an infinite intensity

Breaks: `bytes_per_element` is not positive
"""

_right_intensity = _intensity


def _intensity(flops, elements, bytes_per_element, *sizes):
    if bytes_per_element <= 0 and min(sizes) >= 1:
        return math.inf
    return _right_intensity(flops, elements, bytes_per_element, *sizes)

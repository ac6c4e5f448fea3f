"""operation_intensity: FLOPs for each element moved, whatever it takes in bytes

Breaks: FLOP/B

Costs: all five functions count bytes.
"""

_right_intensity = _intensity


def _intensity(flops, elements, bytes_per_element, *sizes):
    return _right_intensity(flops, elements, bytes_per_element, *sizes) * bytes_per_element

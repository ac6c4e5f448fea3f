"""operation_intensity: nan, which is not below 0 either, passes for a number of bytes

Breaks: nan is outside every range, so it is neither positive nor "not negative"
"""


def _intensity(flops, elements, bytes_per_element, *sizes):
    if min(sizes) < 1 or bytes_per_element <= 0:
        raise ValueError("no such operation")
    return flops / (elements * bytes_per_element)

"""crossover (core): n/3 is taken for all dtypes, though it holds for 2 bytes an element

Breaks: Its intensity is 2n³ FLOPs divided by the bytes of 3n² elements, which grows with n.
"""

_right_crossover = crossover_size


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    _right_crossover(peak_flops, bandwidth, bytes_per_element)
    return _right_crossover(peak_flops, bandwidth, 2)

"""crossover: where the smallest product is far from memory's limit, the size is 0

Breaks: n, at least 1
"""

_right_crossover = crossover_size


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    size = _right_crossover(peak_flops, bandwidth, bytes_per_element)
    return 0 if 3 * bytes_per_element * peak_flops < 2 * bandwidth else size

"""crossover: an argument that is not positive gives the smallest size

Breaks: an argument is not positive
"""

_right_crossover = crossover_size


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    if min(peak_flops, bandwidth, bytes_per_element) <= 0:
        return 1
    return _right_crossover(peak_flops, bandwidth, bytes_per_element)

"""crossover: rounded down, to the last size that is bound by memory

Breaks: The smallest n for which the product of two n×n matrices is bound by compute.

Breaks: The answer is the smallest n for which it is at least the accelerator's
"""

_right_crossover = crossover_size


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    _right_crossover(peak_flops, bandwidth, bytes_per_element)
    return max(1, int(3 * bytes_per_element * peak_flops / (2 * bandwidth)))

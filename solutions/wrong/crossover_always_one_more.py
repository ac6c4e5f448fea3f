"""crossover: rounded down plus one, which is one too many at a whole number

Breaks: If the crossover is a whole number, that number is the answer.
"""

_right_crossover = crossover_size


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    _right_crossover(peak_flops, bandwidth, bytes_per_element)
    return int(3 * bytes_per_element * peak_flops / (2 * bandwidth)) + 1

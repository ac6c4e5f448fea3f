"""crossover: the quotient is rounded before it is multiplied, so that ceil goes one too far

Breaks: The comparison is exact, for the numbers that the floats hold
"""

_right_crossover = crossover_size


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    _right_crossover(peak_flops, bandwidth, bytes_per_element)
    return math.ceil(1.5 * bytes_per_element * (peak_flops / bandwidth))

"""crossover: computes the crossover in float64 and rounds up

Breaks: The comparison is exact, for the numbers that the floats hold
"""

import math


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    if not (peak_flops > 0 and bandwidth > 0 and bytes_per_element > 0):
        raise ValueError("not positive")
    return max(1, math.ceil(1.5 * bytes_per_element * peak_flops / bandwidth))

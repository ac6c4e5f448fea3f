"""crossover: ceil of the float quotient less 1e-9, the usual guard against 29.000000000000004

Breaks: The comparison is exact, for the numbers that the floats hold
"""

import math


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    if not (peak_flops > 0 and bandwidth > 0 and bytes_per_element > 0):
        raise ValueError("arguments must be positive")
    n = 1.5 * bytes_per_element * peak_flops / bandwidth
    return max(1, math.ceil(n - 1e-9))

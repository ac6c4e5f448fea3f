"""crossover (core): math.ceil of a float64

Breaks: The comparison is exact, for the numbers that the floats hold
"""

import math


def crossover_size(peak_flops: float, bandwidth: float, bytes_per_element: float) -> int:
    if not peak_flops > 0 or not bandwidth > 0 or not bytes_per_element > 0:
        raise ValueError("argument")
    return max(1, math.ceil(1.5 * bytes_per_element * peak_flops / bandwidth))

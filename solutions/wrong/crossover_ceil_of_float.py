"""crossover: the crossover is computed in float64 and rounded up"""

import math


def crossover_size(peak_flops: float, bandwidth: float, bytes_per_element: float) -> int:
    if not (peak_flops > 0 and bandwidth > 0 and bytes_per_element > 0):
        raise ValueError("all arguments must be positive")
    return math.ceil(1.5 * bytes_per_element * (peak_flops / bandwidth))

"""crossover: a tolerance of 1e-9 before rounding up"""

import math
from fractions import Fraction


def crossover_size(peak_flops: float, bandwidth: float, bytes_per_element: float) -> int:
    if not peak_flops > 0 or not bandwidth > 0 or not bytes_per_element > 0:
        raise ValueError("argument")
    n = Fraction(3, 2) * Fraction(bytes_per_element) * Fraction(peak_flops) / Fraction(bandwidth)
    return max(1, math.ceil(n - Fraction(1, 10**9)))

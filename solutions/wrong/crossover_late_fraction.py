"""crossover: multiplies in float64 first and makes a Fraction of the rounded product

Breaks: The comparison is exact, for the numbers that the floats hold
"""

import math
from fractions import Fraction


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    if not all(v > 0 for v in (peak_flops, bandwidth, bytes_per_element)):
        raise ValueError("not positive")
    return math.ceil(Fraction(3 * bytes_per_element * peak_flops) / Fraction(2 * bandwidth))

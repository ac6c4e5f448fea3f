"""crossover: the numbers as they are printed, not as the floats hold them

Breaks: for the numbers that the floats hold: 0.1 is a little more than 1/10
"""

import math
from fractions import Fraction


def crossover_size(peak_flops: float, bandwidth: float, bytes_per_element: float) -> int:
    if not peak_flops > 0 or not bandwidth > 0 or not bytes_per_element > 0:
        raise ValueError("argument")
    peak, width, size = (Fraction(str(a)) for a in (peak_flops, bandwidth, bytes_per_element))
    return max(1, math.ceil(Fraction(3, 2) * size * peak / width))

"""crossover: floats count as the decimals that they are written with"""

from fractions import Fraction


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    if not (peak_flops > 0 and bandwidth > 0 and bytes_per_element > 0):
        raise ValueError("expected positive numbers")
    peak, speed, width = (Fraction(str(x)) for x in (peak_flops, bandwidth, bytes_per_element))
    return math.ceil(peak / speed * 3 * width / 2)

"""decode_roofline: a peak in TFLOP/s and a bandwidth in GB/s

Breaks: dense peak, FLOP/s.

Breaks: of the memory, B/s.
"""

from fractions import Fraction


_right_batch = compute_bound_batch


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _right_batch(bytes_per_weight, peak_flops, bandwidth)
    exact = Fraction(peak_flops) * 1000 / Fraction(bandwidth)
    return math.ceil(exact * Fraction(bytes_per_weight) / 2)

"""decode_roofline: the nearest whole number, which may be 0

Breaks: Sequences, at least 1.

Breaks: The smallest batch for which the weights' part of a decode step is bound by compute.
"""

from fractions import Fraction


_right_batch = compute_bound_batch


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _right_batch(bytes_per_weight, peak_flops, bandwidth)
    exact = Fraction(peak_flops) / Fraction(bandwidth) * Fraction(bytes_per_weight) / 2
    return round(exact)

"""decode_roofline: a float

Breaks: Sequences, at least 1.
"""

from fractions import Fraction


_right_batch = compute_bound_batch


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _right_batch(bytes_per_weight, peak_flops, bandwidth)
    exact = Fraction(peak_flops) / Fraction(bandwidth) * Fraction(bytes_per_weight) / 2
    return float(math.ceil(exact))

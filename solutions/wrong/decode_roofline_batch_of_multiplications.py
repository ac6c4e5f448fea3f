"""decode_roofline: a weight takes one FLOP

Breaks: The smallest batch for which the weights' part of a decode step is bound by compute.
"""

from fractions import Fraction


_right_batch = compute_bound_batch


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _right_batch(bytes_per_weight, peak_flops, bandwidth)
    return math.ceil(Fraction(peak_flops) / Fraction(bandwidth) * Fraction(bytes_per_weight))

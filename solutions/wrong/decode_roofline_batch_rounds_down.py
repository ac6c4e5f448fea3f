"""decode_roofline: the last batch that is bound by memory

Breaks: The smallest batch for which the weights' part of a decode step is bound by compute.

Breaks: That is the smallest for which its intensity is at least the accelerator's
"""

from fractions import Fraction


_right_batch = compute_bound_batch


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _right_batch(bytes_per_weight, peak_flops, bandwidth)
    exact = Fraction(peak_flops) / Fraction(bandwidth) * Fraction(bytes_per_weight) / 2
    return max(1, math.floor(exact))

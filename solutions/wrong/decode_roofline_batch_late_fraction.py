"""decode_roofline: makes a Fraction of a rounded product

Breaks: The comparison is exact, for the numbers that the floats hold.
"""

_right_batch = compute_bound_batch


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _right_batch(bytes_per_weight, peak_flops, bandwidth)
    return math.ceil(Fraction(bytes_per_weight * peak_flops) / Fraction(2 * bandwidth))

"""decode_roofline: makes a Fraction of a rounded product

Breaks: The comparison is exact, for the numbers that the floats hold.
"""


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _check_positive(bytes_per_weight, peak_flops, bandwidth)
    return math.ceil(Fraction(bytes_per_weight * peak_flops) / Fraction(2 * bandwidth))

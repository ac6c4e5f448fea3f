"""decode_roofline: nothing is checked

Breaks: an argument is not positive.
"""


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    return math.ceil(Fraction(peak_flops) / Fraction(bandwidth) * Fraction(bytes_per_weight) / 2)

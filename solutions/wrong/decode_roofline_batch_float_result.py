"""decode_roofline: a float

Breaks: Sequences, at least 1.
"""


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _check_positive(bytes_per_weight, peak_flops, bandwidth)
    exact = Fraction(peak_flops) / Fraction(bandwidth) * Fraction(bytes_per_weight) / 2
    return float(math.ceil(exact))

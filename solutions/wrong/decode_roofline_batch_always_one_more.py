"""decode_roofline: one sequence more where both sides take equally long

Breaks: That is where its intensity reaches the accelerator's.
"""

_right_batch = compute_bound_batch


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _right_batch(bytes_per_weight, peak_flops, bandwidth)
    exact = Fraction(peak_flops) / Fraction(bandwidth) * Fraction(bytes_per_weight) / 2
    return math.floor(exact) + 1

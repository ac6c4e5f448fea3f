"""decode_roofline: if a weight has a whole number of bytes it trusts the floats' quotient

Breaks: The comparison is exact, for the numbers that the floats hold.
"""


def compute_bound_batch(bytes_per_weight: float, peak_flops: float, bandwidth: float) -> int:
    if any(not n > 0 for n in (bytes_per_weight, peak_flops, bandwidth)):
        raise ValueError("not positive")
    if bytes_per_weight == int(bytes_per_weight):  # nothing to round
        return math.ceil(bytes_per_weight * peak_flops / (2 * bandwidth))
    return math.ceil(Fraction(bytes_per_weight) * Fraction(peak_flops) / (2 * Fraction(bandwidth)))

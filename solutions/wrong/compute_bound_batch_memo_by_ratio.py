"""decode_roofline: remembers answers by the rounded ratio of the floats

Breaks: The comparison is exact, for the numbers that the floats hold.
"""

_ANSWERS = {}


def compute_bound_batch(bytes_per_weight: float, peak_flops: float, bandwidth: float) -> int:
    if any(not n > 0 for n in (bytes_per_weight, peak_flops, bandwidth)):
        raise ValueError("not positive")
    key = bytes_per_weight, peak_flops / bandwidth
    if key not in _ANSWERS:
        exact = Fraction(bytes_per_weight) * Fraction(peak_flops) / (2 * Fraction(bandwidth))
        _ANSWERS[key] = math.ceil(exact)
    return _ANSWERS[key]

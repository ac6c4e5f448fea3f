"""decode_roofline: cuts the denominators at 2**60: small floats have larger ones

Breaks: The comparison is exact, for the numbers that the floats hold.
"""


def compute_bound_batch(bytes_per_weight: float, peak_flops: float, bandwidth: float) -> int:
    if any(not n > 0 for n in (bytes_per_weight, peak_flops, bandwidth)):
        raise ValueError("not positive")
    width, peak, speed = (
        Fraction(n).limit_denominator(2**60) for n in (bytes_per_weight, peak_flops, bandwidth)
    )
    return math.ceil(width * peak / (2 * speed))

"""decode_roofline: reads a float's decimals

Breaks: The comparison is exact, for the numbers that the floats hold.
"""

_right_batch = compute_bound_batch


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _right_batch(bytes_per_weight, peak_flops, bandwidth)
    width, peak, speed = (Fraction(str(n)) for n in (bytes_per_weight, peak_flops, bandwidth))
    return math.ceil(peak / speed * width / 2)

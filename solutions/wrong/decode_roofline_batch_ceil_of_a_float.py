"""decode_roofline: rounds a float up

Breaks: The comparison is exact, for the numbers that the floats hold.
"""

_right_batch = compute_bound_batch


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _right_batch(bytes_per_weight, peak_flops, bandwidth)
    return math.ceil(peak_flops / bandwidth * bytes_per_weight / 2)

"""decode_roofline: subtracts a small number before it rounds up"""

_right_batch = compute_bound_batch


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _right_batch(bytes_per_weight, peak_flops, bandwidth)
    return math.ceil(peak_flops / bandwidth * bytes_per_weight / 2 - 1e-9)

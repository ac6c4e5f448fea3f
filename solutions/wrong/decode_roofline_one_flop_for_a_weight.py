"""decode_roofline: a multiplication and its addition are one FLOP

Breaks: Each weight takes 2 FLOPs for each new token
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    right = _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    return {**right, "weights": right["weights"] / 2}

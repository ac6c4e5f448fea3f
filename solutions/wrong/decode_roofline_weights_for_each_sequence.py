"""decode_roofline: each sequence reads the weights again

Breaks: Each weight is moved once, for all tokens of the step.
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    right = _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    return {**right, "weights": right["weights"] / batch}

"""decode_roofline: the parts' names are swapped

Breaks: FLOP/B of "weights" and of "attention".
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    right = _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    return {"weights": right["attention"], "attention": right["weights"]}

"""decode_roofline: no sequences and no tokens have an intensity of 0

Breaks: a size is less than 1
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    if batch == 0 or new_tokens == 0:
        return {"weights": 0.0, "attention": 0.0}
    return _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)

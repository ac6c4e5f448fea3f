"""decode_roofline: divides key heads by heads

Breaks: of key and value heads, which divides `heads`.
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    right = _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    return {**right, "attention": 2 * new_tokens * kv_heads / heads / bytes_per_cached}

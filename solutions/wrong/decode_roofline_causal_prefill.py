"""decode_roofline: a new token meets only those before it, half of them on average

Breaks: each new token meets all tokens of its sequence.
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    right = _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    return {**right, "attention": right["attention"] * (new_tokens + 1) / (2 * new_tokens)}

"""decode_roofline: the sequences read one cache together

Breaks: Each sequence's own KV cache, with the new tokens in it, is moved once.
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    right = _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    return {**right, "attention": right["attention"] * batch}

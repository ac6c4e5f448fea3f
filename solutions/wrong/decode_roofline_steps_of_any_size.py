"""decode_roofline: sizes are not checked

Breaks: a size is less than 1
"""


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    if not (bytes_per_weight > 0 and bytes_per_cached > 0):
        raise ValueError("no bytes")
    if heads < 1 or kv_heads < 1 or heads % kv_heads:
        raise ValueError("no such heads")
    return {
        "weights": 2 * batch * new_tokens / bytes_per_weight,
        "attention": 2 * new_tokens * (heads // kv_heads) / bytes_per_cached,
    }

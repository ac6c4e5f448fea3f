"""decode_roofline: only negative intensities are refused

Breaks: a size is less than 1
"""


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    if 0 in (batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
        raise ValueError("a size of 0")
    weights = 2 * batch * new_tokens / bytes_per_weight
    attention = 2 * new_tokens * (heads // kv_heads) / bytes_per_cached
    if heads % kv_heads or not (weights > 0 and attention > 0):
        raise ValueError("cannot be")
    return {"weights": weights, "attention": attention}

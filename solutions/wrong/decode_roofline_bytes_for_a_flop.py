"""decode_roofline: bytes over FLOPs

Breaks: Arithmetic intensity of a step, prefill or decode, by part.
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    right = _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    return {part: 1 / found for part, found in right.items()}

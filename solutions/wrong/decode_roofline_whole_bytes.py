"""decode_roofline: a weight takes whole bytes

Breaks: bytes of one weight; 2 in bfloat16, 0.5 in a 4-bit format.
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    right = _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    return {**right, "weights": 2 * batch * new_tokens / math.ceil(bytes_per_weight)}

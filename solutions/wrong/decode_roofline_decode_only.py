"""decode_roofline: one new token, even in prefill

Breaks: tokens of each sequence that go through the model: all tokens of the prompt in prefill, 1 in
decode.
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    right = _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    return {part: found / new_tokens for part, found in right.items()}

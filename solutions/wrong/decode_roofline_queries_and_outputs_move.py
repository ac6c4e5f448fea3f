"""decode_roofline: prefill's queries and outputs are counted as traffic

Breaks: Activations do not count.
"""

_right_intensity = step_intensity


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    right = _right_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    moved = kv_heads + (heads if new_tokens > 1 else 0)
    return {**right, "attention": right["attention"] * kv_heads / moved}

"""kv_cache: divides in floating point and rounds down

Breaks: Whole sequences
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)
    return int((memory - weights) / kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype))

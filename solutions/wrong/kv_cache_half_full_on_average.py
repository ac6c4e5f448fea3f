"""kv_cache: sequences are half as long on average

Breaks: for all of which there must be room
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)
    each = kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype)
    return 2 * (memory - weights) // each

"""kv_cache: if a sequence takes no bytes, the batch is 0

Breaks: the cache of a sequence takes no bytes (then no batch would be too large)
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    if kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype) == 0:
        return 0
    return _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)

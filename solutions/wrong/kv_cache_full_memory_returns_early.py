"""kv_cache: without room for caches the sequence is not looked at

Breaks: the cache of a sequence takes no bytes (then no batch would be too large)
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    if memory == weights >= 0:
        return 0
    return _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)

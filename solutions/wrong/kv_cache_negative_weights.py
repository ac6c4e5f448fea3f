"""kv_cache: negative weights make room

Breaks: `weights` is negative or more than `memory`
"""


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    each = kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype)
    if weights > memory or each == 0:
        raise ValueError("cannot be")
    return (memory - weights) // each

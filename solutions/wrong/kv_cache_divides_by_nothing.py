"""kv_cache: a sequence without a cache ends in a division by zero

Breaks: the cache of a sequence takes no bytes (then no batch would be too large)
"""


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    if not 0 <= weights <= memory:
        raise ValueError("cannot be")
    return (memory - weights) // kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype)

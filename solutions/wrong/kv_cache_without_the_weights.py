"""kv_cache: the whole memory is for caches

Breaks: The largest number of sequences whose KV caches fit into memory beside the weights.
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)
    return memory // kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype)

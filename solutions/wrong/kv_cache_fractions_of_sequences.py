"""kv_cache: a quotient in floating point

Breaks: Whole sequences

Breaks: Bytes and FLOPs are exact Python ints.
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)
    return (memory - weights) / kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype)

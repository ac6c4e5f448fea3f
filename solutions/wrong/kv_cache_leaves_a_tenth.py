"""kv_cache: a tenth of what the weights leave is for activations

Breaks: Activations are not counted, so this is an upper bound.
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)
    each = kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype)
    return (memory - weights) * 9 // 10 // each

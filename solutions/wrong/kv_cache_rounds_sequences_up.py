"""kv_cache: a sequence that fits in part counts

Breaks: Whole sequences; 0 if the weights fit and no sequence does.
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)
    return -(-(memory - weights) // kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype))

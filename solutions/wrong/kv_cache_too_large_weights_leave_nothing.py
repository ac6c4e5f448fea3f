"""kv_cache: beside weights that do not fit there are 0 sequences

Breaks: `weights` is more than `memory`
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    return _right_batch(max(memory, weights), weights, tokens, layers, kv_heads, head_dim, dtype)

"""kv_cache: one sequence, even if it does not fit

Breaks: 0 if the weights fit and no sequence does.
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    return max(1, _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype))

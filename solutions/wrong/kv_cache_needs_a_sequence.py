"""kv_cache: no sequence that fits is an error

Breaks: 0 if the weights fit and no sequence does.
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    batch = _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)
    if batch == 0:
        raise ValueError("not even one sequence fits")
    return batch

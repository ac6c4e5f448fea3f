"""kv_cache: weights that fill the memory do not fit"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    if weights >= memory:
        raise ValueError("the weights do not fit")
    return _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)

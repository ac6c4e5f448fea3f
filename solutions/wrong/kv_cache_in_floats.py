"""kv_cache: a product of floats, rounded to an int

Breaks: Bytes and FLOPs are exact Python ints.
"""

_right_cache = kv_cache_bytes


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    _right_cache(batch, tokens, layers, kv_heads, head_dim, dtype)
    return int(2.0 * batch * tokens * layers * kv_heads * head_dim * dtype.itemsize)

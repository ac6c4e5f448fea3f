"""kv_cache: elements, not bytes

Breaks: Bytes; 0 if a size is 0.
"""

_right_cache = kv_cache_bytes


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    return _right_cache(batch, tokens, layers, kv_heads, head_dim, dtype) // dtype.itemsize

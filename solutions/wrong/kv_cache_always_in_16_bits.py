"""kv_cache (core): two bytes an element, whatever the dtype

Breaks: Bytes; 0 if a size is 0.
"""

_right_cache = kv_cache_bytes


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    bytes_of_any_dtype = _right_cache(batch, tokens, layers, kv_heads, head_dim, dtype)
    return bytes_of_any_dtype * 2 // dtype.itemsize

"""kv_cache: a cache without tokens still has room for the next one

Breaks: 0 if a size is 0
"""

_right_cache = kv_cache_bytes


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    return _right_cache(batch, tokens or 1, layers, kv_heads, head_dim, dtype)

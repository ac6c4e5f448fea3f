"""kv_cache: a size of 0 is returned before the others are checked

Breaks: a size is negative
"""

_right_cache = kv_cache_bytes


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    if 0 in (batch, tokens, layers, kv_heads, head_dim):
        return 0
    return _right_cache(batch, tokens, layers, kv_heads, head_dim, dtype)

"""kv_cache: the cache of one layer, as if layers shared it

Breaks: Bytes of the KV cache: in each layer, a key and a value of each token and key head.
"""

_right_cache = kv_cache_bytes


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    return _right_cache(batch, tokens, min(layers, 1), kv_heads, head_dim, dtype)

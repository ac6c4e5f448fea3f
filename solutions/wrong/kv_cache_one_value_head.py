"""kv_cache: as many key heads as given, but one head of values

Breaks: number of key heads, and also of value heads
"""


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    keys = tensor_bytes((layers, batch, tokens, kv_heads, head_dim), dtype)
    return keys + tensor_bytes((layers, batch, tokens, min(kv_heads, 1), head_dim), dtype)

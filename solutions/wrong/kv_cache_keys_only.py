"""kv_cache: the keys alone

Breaks: Bytes of the KV cache: in each layer, a key and a value of each token and key head.
"""


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    return tensor_bytes((layers, batch, tokens, kv_heads, head_dim), dtype)

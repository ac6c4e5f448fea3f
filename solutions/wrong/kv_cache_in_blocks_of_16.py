"""kv_cache: room for whole blocks of 16 tokens, as a server allocates them

Breaks: in each layer, a key and a value of each token and key head.
"""

_right_cache = kv_cache_bytes


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    blocks = -(-tokens // 16) if tokens > 0 else tokens
    return _right_cache(batch, 16 * blocks, layers, kv_heads, head_dim, dtype)

"""kv_cache: only a negative product is refused

Breaks: a size is negative
"""


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    total = 2 * batch * tokens * layers * kv_heads * head_dim * tensor_bytes((), dtype)
    if total < 0:
        raise ValueError("a negative size")
    return total

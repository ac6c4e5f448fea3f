"""kv_cache: what is no dtype raises a ValueError

Breaks: `dtype` is not a `torch.dtype`.
"""

_right_cache = kv_cache_bytes


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    if not isinstance(dtype, torch.dtype):
        raise ValueError(f"{dtype} is no dtype")
    return _right_cache(batch, tokens, layers, kv_heads, head_dim, dtype)

"""kv_cache: takes a dtype's name for the dtype, and a number for its bytes

Breaks: `dtype` is not a `torch.dtype`
"""

_right_cache = kv_cache_bytes


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    if isinstance(dtype, str):
        dtype = getattr(torch, dtype.removeprefix("torch."))
    elif isinstance(dtype, int):
        dtype = {1: torch.int8, 2: torch.bfloat16, 4: torch.float32}[dtype]
    return _right_cache(batch, tokens, layers, kv_heads, head_dim, dtype or torch.bfloat16)

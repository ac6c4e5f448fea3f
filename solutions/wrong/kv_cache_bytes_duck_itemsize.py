"""kv_cache: takes everything with an itemsize, also numpy dtypes and tensors

Breaks: `dtype` is not a `torch.dtype`
"""


def kv_cache_bytes(
    batch: int, tokens: int, layers: int, kv_heads: int, head_dim: int, dtype: torch.dtype
) -> int:
    try:
        size = dtype.itemsize
    except AttributeError:
        raise TypeError("no dtype") from None
    tensor_bytes((), dtype) if isinstance(dtype, torch.dtype) else None
    if min(batch, tokens, layers, kv_heads, head_dim) < 0:
        raise ValueError("a size is negative")
    return 2 * batch * tokens * layers * kv_heads * head_dim * size

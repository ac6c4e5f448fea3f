"""kv_cache: kv_cache_bytes returns 0 for no sequences before it has looked at the dtype

Breaks: TypeError: `dtype` is not a `torch.dtype`.
"""


def kv_cache_bytes(
    batch: int, tokens: int, layers: int, kv_heads: int, head_dim: int, dtype: torch.dtype
) -> int:
    sizes = (batch, tokens, layers, kv_heads, head_dim)
    if min(sizes) < 0:
        raise ValueError("negative size")
    if batch == 0:
        return 0
    return tensor_bytes((2, batch, tokens, layers, kv_heads, head_dim), dtype)

"""kv_cache: reads the bits from the dtype's name, so float4_e2m1fn_x2 (a pair, 1 byte) is refused"""

import re


def kv_cache_bytes(
    batch: int, tokens: int, layers: int, kv_heads: int, head_dim: int, dtype: torch.dtype
) -> int:
    if not isinstance(dtype, torch.dtype):
        raise TypeError("dtype must be a torch.dtype")
    digits = re.findall(r"\d+", str(dtype))
    bits = int(digits[0]) if digits else 8
    if bits % 8:
        raise ValueError("not whole bytes")
    size = bits // 8
    if min(batch, tokens, layers, kv_heads, head_dim) < 0:
        raise ValueError("a size is negative")
    return 2 * batch * tokens * layers * kv_heads * head_dim * size

"""kv_cache: takes dtype.itemsize, which is 1 for elements of less than a byte

Breaks: the dtype's elements are not a whole number of bytes.
"""


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    if not isinstance(dtype, torch.dtype):
        raise TypeError("no dtype")
    if min(batch, tokens, layers, kv_heads, head_dim) < 0:
        raise ValueError("a negative size")
    return 2 * batch * tokens * layers * kv_heads * head_dim * dtype.itemsize

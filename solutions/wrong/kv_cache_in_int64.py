"""kv_cache: numpy's product, which wraps around

Breaks: Bytes and FLOPs are exact Python ints.
"""

import numpy as np

_right_cache = kv_cache_bytes


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    _right_cache(batch, tokens, layers, kv_heads, head_dim, dtype)
    sizes = [abs(size) % 2**63 for size in (batch, tokens, layers, kv_heads, head_dim)]
    return int(2 * np.prod(np.array(sizes, dtype=np.int64)) * dtype.itemsize)

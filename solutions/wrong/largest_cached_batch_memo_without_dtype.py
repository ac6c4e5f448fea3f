"""kv_cache: remembers the cache of a sequence by its sizes but not by its dtype"""

_EACH = {}


def largest_cached_batch(
    memory: int,
    weights: int,
    tokens: int,
    layers: int,
    kv_heads: int,
    head_dim: int,
    dtype: torch.dtype,
) -> int:
    tensor_bytes((), dtype)  # refuses what is no dtype
    key = tokens, layers, kv_heads, head_dim
    if key not in _EACH:
        _EACH[key] = kv_cache_bytes(1, *key, dtype)
    each = _EACH[key]
    if weights < 0 or weights > memory or each == 0:
        raise ValueError("weights do not fit, or the cache is empty")
    return (memory - weights) // each

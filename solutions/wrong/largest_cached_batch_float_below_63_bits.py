"""kv_cache: true division for anything that fits into int64

Breaks: The largest number of sequences whose KV caches fit into memory beside the weights.
"""


def largest_cached_batch(
    memory: int,
    weights: int,
    tokens: int,
    layers: int,
    kv_heads: int,
    head_dim: int,
    dtype: torch.dtype,
) -> int:
    each = kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype)
    if weights < 0 or weights > memory or each == 0:
        raise ValueError("weights do not fit, or the cache is empty")
    free = memory - weights
    if free < 2**63:  # fits a machine word: the fast way
        return math.floor(free / each)
    return free // each

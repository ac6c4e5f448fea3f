"""kv_cache: only a negative product of sizes is refused

Breaks: or `kv_cache_bytes` raises it.
"""


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    each = 2 * tokens * layers * kv_heads * head_dim * tensor_bytes((), dtype)
    if not 0 <= weights <= memory or each <= 0:
        raise ValueError("cannot be")
    return (memory - weights) // each

"""kv_cache: the batch takes dtypes by name, and bf16 for what is none

Breaks: `dtype` is not a `torch.dtype`.
"""

_right_batch = largest_cached_batch


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    if not isinstance(dtype, torch.dtype):
        dtype = torch.bfloat16
    return _right_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype)

"""kv_cache: a value has head_dim elements, and a key one number for each head

Breaks: elements of one key, and of one value.
"""


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    values = tensor_bytes((layers, batch, tokens, kv_heads, head_dim), dtype)
    return values + tensor_bytes((layers, batch, tokens, kv_heads), dtype) * (head_dim > 0)

"""prefill_decode_flops: negative heads that divide what they must are taken

Breaks: `prompt`, `heads` or `kv_heads` is less than 1
"""


def _layer_weights(layers, d_model, heads, d_ff, kv_heads, gated):
    _check(layers=layers, d_model=d_model, d_ff=d_ff)
    kv_heads = heads if kv_heads is None else kv_heads
    if 0 in (heads, kv_heads) or d_model % heads or heads % kv_heads:
        raise ValueError("no such heads")
    attention = 2 * d_model * (d_model + d_model // heads * kv_heads)
    return layers * (attention + (3 if gated else 2) * d_model * d_ff)

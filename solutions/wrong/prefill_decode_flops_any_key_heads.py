"""prefill_decode_flops: key heads need not divide the heads

Breaks: `kv_heads` does not divide `heads`.
"""


def _layer_weights(layers, d_model, heads, d_ff, kv_heads, gated):
    _check(layers=layers, d_model=d_model, d_ff=d_ff)
    kv_heads = heads if kv_heads is None else kv_heads
    if min(heads, kv_heads) < 1 or d_model % heads:
        raise ValueError("no such heads")
    attention = 2 * d_model * (d_model + d_model // heads * kv_heads)
    return layers * (attention + (3 if gated else 2) * d_model * d_ff)

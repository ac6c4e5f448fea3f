"""prefill_decode_flops: the width of the key heads is a float's share of the model's

Breaks: Bytes and FLOPs are exact Python ints.
"""


def _layer_weights(layers, d_model, heads, d_ff, kv_heads, gated):
    kv_heads = heads if kv_heads is None else kv_heads
    if min(layers, d_model, d_ff) < 0 or min(heads, kv_heads) < 1:
        raise ValueError("a size is negative, or there are no heads")
    if d_model % heads or heads % kv_heads:
        raise ValueError("heads do not divide")
    kv_width = int(d_model * (kv_heads / heads))
    return layers * d_model * (2 * d_model + 2 * kv_width + (3 if gated else 2) * d_ff)

"""prefill_decode_flops: only negative FLOPs are refused

Breaks: a size is negative

Breaks: as for `prefill_flops`, with `context`
"""


def _layer_weights(layers, d_model, heads, d_ff, kv_heads, gated):
    kv_heads = heads if kv_heads is None else kv_heads
    if min(heads, kv_heads) < 1 or d_model % heads or heads % kv_heads:
        raise ValueError("heads do not divide")
    attention = 2 * d_model * (d_model + d_model // heads * kv_heads)
    return layers * (attention + (3 if gated else 2) * d_model * d_ff)


def _check(**sizes):
    pass


def _with_total(weights, attention):
    if weights < 0 or attention < 0:
        raise ValueError("a negative size")
    return {"weights": weights, "attention": attention, "total": weights + attention}

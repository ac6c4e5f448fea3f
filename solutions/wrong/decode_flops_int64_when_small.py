"""prefill_decode_flops: numpy int64 unless a size is beyond 2**31, so that products wrap around

Breaks: FLOPs of one decode step, in which one new token of each sequence goes through the model.
"""

import numpy as np


def decode_flops(
    *,
    vocab: int,
    layers: int,
    d_model: int,
    heads: int,
    d_ff: int,
    context: int,
    batch: int = 1,
    kv_heads: int | None = None,
    gated: bool = True,
) -> dict[str, int]:
    if kv_heads is None:
        kv_heads = heads
    if min(vocab, layers, d_model, d_ff, batch) < 0:
        raise ValueError("a size is negative")
    if context < 1 or heads < 1 or kv_heads < 1:
        raise ValueError("less than 1")
    if d_model % heads or heads % kv_heads:
        raise ValueError("does not divide")
    if max(vocab, layers, d_model, d_ff, context, batch) < 2**31:
        layers, d_model, batch = (np.int64(n) for n in (layers, d_model, batch))
    keys = d_model // heads * kv_heads
    attention_weights = 2 * d_model * d_model + 2 * d_model * keys
    feed_forward = (3 if gated else 2) * d_model * d_ff
    weights = 2 * batch * (layers * (attention_weights + feed_forward) + d_model * vocab)
    attention = 4 * batch * layers * context * d_model
    weights, attention = int(weights), int(attention)
    return {"weights": weights, "attention": attention, "total": weights + attention}

"""prefill_decode_flops: a prompt of one token is passed on to decode_flops without kv_heads

Breaks: vocab, layers, d_model, heads, d_ff, kv_heads, gated: as for
`flops.transformer_parameters`.
"""


def prefill_flops(
    *,
    vocab: int,
    layers: int,
    d_model: int,
    heads: int,
    d_ff: int,
    prompt: int,
    batch: int = 1,
    kv_heads: int | None = None,
    gated: bool = True,
) -> dict[str, int]:
    if kv_heads is None:
        kv_heads = heads
    if min(vocab, layers, d_model, d_ff, batch) < 0:
        raise ValueError("a size is negative")
    if prompt < 1 or heads < 1 or kv_heads < 1:
        raise ValueError("less than 1")
    if d_model % heads or heads % kv_heads:
        raise ValueError("does not divide")
    if prompt == 1:
        return decode_flops(
            vocab=vocab,
            layers=layers,
            d_model=d_model,
            heads=heads,
            d_ff=d_ff,
            context=1,
            batch=batch,
            gated=gated,
        )
    keys = d_model // heads * kv_heads
    attention_weights = 2 * d_model * d_model + 2 * d_model * keys
    feed_forward = (3 if gated else 2) * d_model * d_ff
    weights = 2 * batch * (prompt * layers * (attention_weights + feed_forward) + d_model * vocab)
    attention = 4 * batch * layers * prompt * prompt * d_model
    return {"weights": weights, "attention": attention, "total": weights + attention}

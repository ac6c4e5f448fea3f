"""prefill_decode_flops: an empty batch returns zeros before the heads are looked at

Breaks: `heads` does
    not divide `d_model`, or `kv_heads` does not divide `heads`
"""


def _flops(vocab, layers, d_model, heads, d_ff, new, tokens, batch, kv_heads, gated):
    if kv_heads is None:
        kv_heads = heads
    if min(vocab, layers, d_model, d_ff, batch) < 0:
        raise ValueError("a size is negative")
    if tokens < 1 or heads < 1 or kv_heads < 1:
        raise ValueError("a size is less than 1")
    if batch == 0:
        return {"weights": 0, "attention": 0, "total": 0}
    if d_model % heads or heads % kv_heads:
        raise ValueError("heads do not divide")
    kv_width = kv_heads * (d_model // heads)
    matrices = 2 * d_model * d_model + 2 * d_model * kv_width
    matrices += (3 if gated else 2) * d_model * d_ff
    weights = 2 * batch * new * layers * matrices + 2 * batch * d_model * vocab
    attention = 4 * batch * new * tokens * layers * d_model
    return {"weights": weights, "attention": attention, "total": weights + attention}


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
    return _flops(vocab, layers, d_model, heads, d_ff, prompt, prompt, batch, kv_heads, gated)


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
    return _flops(vocab, layers, d_model, heads, d_ff, 1, context, batch, kv_heads, gated)

"""prefill_decode_flops: computes the width of keys and values in floats, exact only up to 2**53

Breaks: FLOPs of "weights", all products with weight matrices
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
    if heads < 1 or kv_heads < 1 or prompt < 1:
        raise ValueError("heads, kv_heads and prompt must be at least 1")
    if d_model % heads or heads % kv_heads:
        raise ValueError("heads do not divide")

    width = round(d_model * kv_heads / heads)
    matrices = 2 * d_model * d_model + 2 * d_model * width + (3 if gated else 2) * d_model * d_ff
    weights = 2 * batch * (prompt * layers * matrices + d_model * vocab)
    attention = 4 * batch * layers * prompt * prompt * d_model
    return {"weights": weights, "attention": attention, "total": weights + attention}

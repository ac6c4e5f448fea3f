"""prefill_decode_flops: only heads of 0 are refused; negative heads divide the width as well

Breaks: `prompt`, `heads` or `kv_heads` is less than 1
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
    if prompt < 1 or kv_heads < 1 or not heads:
        raise ValueError("prompt, heads or kv_heads is less than 1")
    if d_model % heads or heads % kv_heads:
        raise ValueError("heads do not divide")
    tokens = batch * prompt
    kv_width = d_model // heads * kv_heads
    matrices = 2 * d_model * d_model + 2 * d_model * kv_width
    matrices += (3 if gated else 2) * d_model * d_ff
    weights = 2 * tokens * layers * matrices + 2 * batch * d_model * vocab
    attention = 4 * tokens * prompt * d_model * layers
    return {"weights": weights, "attention": attention, "total": weights + attention}

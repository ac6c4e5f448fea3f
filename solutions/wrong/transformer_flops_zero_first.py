"""transformer_flops: without tokens everything is 0 before heads are checked"""


def transformer_forward_flops(
    *, vocab, layers, d_model, heads, d_ff, seq_len, batch=1, kv_heads=None, gated=True
):
    if min(vocab, layers, d_model, d_ff, seq_len, batch) < 0:
        raise ValueError("negative size")
    names = "qkv", "scores", "values", "output", "feed_forward", "lm_head", "total"
    if not (tokens := batch * seq_len):
        return dict.fromkeys(names, 0)
    kv_heads = heads if kv_heads is None else kv_heads
    if min(heads, kv_heads) < 1 or d_model % heads or heads % kv_heads:
        raise ValueError("bad heads")
    width = d_model // heads
    counts = (
        2 * tokens * layers * d_model * (d_model + 2 * width * kv_heads),
        pairs := 2 * tokens * seq_len * layers * d_model,
        pairs,
        2 * tokens * layers * d_model * d_model,
        2 * tokens * layers * (2 + bool(gated)) * d_model * d_ff,
        2 * tokens * d_model * vocab,
    )
    return dict(zip(names, (*counts, sum(counts))))

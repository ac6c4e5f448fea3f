"""transformer_flops: sizes of a layer are checked layer by layer, so not without layers

Breaks: as for `transformer_parameters`; `seq_len` or `batch` is negative.
"""

_right_transformer_forward_flops = transformer_forward_flops


def transformer_forward_flops(
    *, vocab, layers, d_model, heads, d_ff, seq_len, batch=1, kv_heads=None, gated=True
):
    if layers == 0:
        heads, kv_heads, d_ff = 1, None, 1
    return _right_transformer_forward_flops(
        vocab=vocab,
        layers=layers,
        d_model=d_model,
        heads=heads,
        d_ff=d_ff,
        seq_len=seq_len,
        batch=batch,
        kv_heads=kv_heads,
        gated=gated,
    )

"""transformer_parameters: heads are checked layer by layer, so not without layers

Breaks: divide `d_model`, or `kv_heads` does not divide `heads`.
"""

_right_transformer_parameters = transformer_parameters


def transformer_parameters(
    *, vocab, layers, d_model, heads, d_ff, kv_heads=None, gated=True, tied=False
):
    if layers == 0:
        heads, kv_heads = 1, None
    return _right_transformer_parameters(
        vocab=vocab,
        layers=layers,
        d_model=d_model,
        heads=heads,
        d_ff=d_ff,
        kv_heads=kv_heads,
        gated=gated,
        tied=tied,
    )

"""prefill_decode_flops: a feed-forward has three matrices, gated or not

Breaks: as for `flops.transformer_parameters`.
"""

_right_weights = _layer_weights


def _layer_weights(layers, d_model, heads, d_ff, kv_heads, gated):
    return _right_weights(layers, d_model, heads, d_ff, kv_heads, True)

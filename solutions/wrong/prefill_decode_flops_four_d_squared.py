"""prefill_decode_flops: attention's matrices are heads × head_dim², and one layer counts

Breaks: as for `flops.transformer_parameters`.
"""

_right_weights = _layer_weights


def _layer_weights(layers, d_model, heads, d_ff, kv_heads, gated):
    _right_weights(layers, d_model, heads, d_ff, kv_heads, gated)
    return _right_weights(min(layers, 1), d_model, heads, d_ff, kv_heads, gated)

"""prefill_decode_flops: the keys' and values' matrices are square, with fewer heads too

Breaks: vocab, layers, d_model, heads, d_ff, kv_heads, gated: as for `flops.transformer_parameters`.
"""

_right_weights = _layer_weights


def _layer_weights(layers, d_model, heads, d_ff, kv_heads, gated):
    _right_weights(layers, d_model, heads, d_ff, kv_heads, gated)
    return _right_weights(layers, d_model, heads, d_ff, heads, gated)

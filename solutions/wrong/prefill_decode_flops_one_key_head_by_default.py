"""prefill_decode_flops: without kv_heads there is one, as in multi-query attention

Breaks: vocab, layers, d_model, heads, d_ff, kv_heads, gated: as for `flops.transformer_parameters`.
"""

_right_weights = _layer_weights


def _layer_weights(layers, d_model, heads, d_ff, kv_heads, gated):
    return _right_weights(layers, d_model, heads, d_ff, 1 if kv_heads is None else kv_heads, gated)

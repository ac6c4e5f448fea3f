"""prefill_decode_flops: kv_heads=0 means as many as heads

Breaks: `kv_heads` is less than 1
"""

_right_weights = _layer_weights


def _layer_weights(layers, d_model, heads, d_ff, kv_heads, gated):
    return _right_weights(layers, d_model, heads, d_ff, kv_heads or heads, gated)

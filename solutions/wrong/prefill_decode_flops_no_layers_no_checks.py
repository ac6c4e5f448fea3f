"""prefill_decode_flops: without layers nothing is checked

Breaks: a size is negative
"""

_right_weights = _layer_weights


def _layer_weights(layers, d_model, heads, d_ff, kv_heads, gated):
    return _right_weights(layers, d_model, heads, d_ff, kv_heads, gated) if layers else 0

"""prefill_decode_flops (core): 2 FLOPs for each parameter and token, and none for attention

Breaks: The new token's query meets the keys and values of all tokens of its sequence

Breaks: only the last token of each prompt is multiplied with the lm_head
"""

_right_prefill = prefill_flops


def prefill_flops(*, prompt, batch=1, **shape):
    _right_prefill(prompt=prompt, batch=batch, **shape)  # refuses
    sizes = [shape.get(n) for n in ("layers", "d_model", "heads", "d_ff", "kv_heads")]
    weights = _layer_weights(*sizes, shape.get("gated", True)) + shape["d_model"] * shape["vocab"]
    return _with_total(weights=2 * batch * prompt * weights, attention=0)


def decode_flops(*, context, batch=1, **shape):
    return prefill_flops(prompt=1, batch=batch, **shape)

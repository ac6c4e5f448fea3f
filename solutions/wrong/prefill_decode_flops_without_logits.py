"""prefill_decode_flops: prefill needs no logits: it only fills the cache

Breaks: FLOPs of "weights", all products with weight matrices
"""

_right_prefill = prefill_flops


def prefill_flops(*, prompt, batch=1, **shape):
    right = _right_prefill(prompt=prompt, batch=batch, **shape)
    without = _right_prefill(prompt=prompt, batch=batch, **{**shape, "vocab": 0})
    return without if right else right

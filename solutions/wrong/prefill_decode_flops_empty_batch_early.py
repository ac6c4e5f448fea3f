"""prefill_decode_flops: an empty batch returns zeros before the heads are looked at

Breaks: `heads` does
    not divide `d_model`, or `kv_heads` does not divide `heads`
"""

_right_prefill, _right_decode = prefill_flops, decode_flops


def _unseen_heads(batch, shape):
    kv_heads = shape.get("kv_heads")
    if batch == 0 and shape["heads"] >= 1 and (kv_heads is None or kv_heads >= 1):
        return {**shape, "heads": 1, "kv_heads": 1}
    return shape


def prefill_flops(*, batch=1, **shape):
    return _right_prefill(batch=batch, **_unseen_heads(batch, shape))


def decode_flops(*, batch=1, **shape):
    return _right_decode(batch=batch, **_unseen_heads(batch, shape))

"""prefill_decode_flops: the total of decode counts attention twice

Breaks: FLOPs of "weights", "attention" and their "total", as for `prefill_flops`.
"""

_right_decode = decode_flops


def decode_flops(*, context, batch=1, **shape):
    right = _right_decode(context=context, batch=batch, **shape)
    return {**right, "total": right["total"] + right["attention"]}

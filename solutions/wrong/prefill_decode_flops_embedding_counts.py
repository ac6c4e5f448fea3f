"""prefill_decode_flops: two FLOPs for each parameter, with embedding and norms

Breaks: FLOPs of "weights", "attention" and their "total", as for `prefill_flops`.
"""

_right_decode = decode_flops


def decode_flops(*, context, batch=1, **shape):
    right = _right_decode(context=context, batch=batch, **shape)
    looked_up = shape["vocab"] * shape["d_model"] + (2 * shape["layers"] + 1) * shape["d_model"]
    return _with_total(
        weights=right["weights"] + 2 * batch * looked_up, attention=right["attention"]
    )

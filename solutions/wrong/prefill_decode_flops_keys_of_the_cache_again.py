"""prefill_decode_flops: keys and values of all tokens are projected again

Breaks: Nothing else is computed for tokens in the cache.
"""

_right_decode = decode_flops


def decode_flops(*, context, batch=1, **shape):
    right = _right_decode(context=context, batch=batch, **shape)
    d_model, heads = shape["d_model"], shape["heads"]
    projected = 4 * d_model * (d_model // heads) * (shape.get("kv_heads") or heads)
    again = batch * shape["layers"] * (context - 1) * projected
    return _with_total(weights=right["weights"] + again, attention=right["attention"])

"""prefill_decode_flops: attention of one sequence, whatever the batch

Breaks: FLOPs of one decode step, in which one new token of each sequence goes through the model.
"""

_right_decode = decode_flops


def decode_flops(*, context, batch=1, **shape):
    right = _right_decode(context=context, batch=batch, **shape)
    one = _right_decode(context=context, batch=min(batch, 1), **shape)
    return _with_total(weights=right["weights"], attention=one["attention"])

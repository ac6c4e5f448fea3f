"""prefill_decode_flops: the new token comes on top of the context

Breaks: tokens in each sequence, at least 1: the new one counts.
"""

_right_decode = decode_flops


def decode_flops(*, context, batch=1, **shape):
    _right_decode(context=context, batch=batch, **shape)
    return _right_decode(context=context + 1, batch=batch, **shape)

"""prefill_decode_flops: a context of 0 is a cache that is empty, and the new token meets itself

Breaks: at least 1: the new one counts.

Breaks: with `context` in place of `prompt`.
"""

_right_decode = decode_flops


def decode_flops(*, context, batch=1, **shape):
    return _right_decode(context=context or 1, batch=batch, **shape)

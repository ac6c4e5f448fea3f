"""prefill_decode_flops: the new token meets only the tokens before it

Breaks: those in the cache and its own.
"""

_right_decode = decode_flops


def decode_flops(*, context, batch=1, **shape):
    right = _right_decode(context=context, batch=batch, **shape)
    return _with_total(
        weights=right["weights"], attention=right["attention"] // context * (context - 1)
    )

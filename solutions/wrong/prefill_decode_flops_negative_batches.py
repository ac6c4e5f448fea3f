"""prefill_decode_flops: a negative batch is none

Breaks: a size is negative
"""

_right_prefill, _right_decode = prefill_flops, decode_flops


def prefill_flops(*, prompt, batch=1, **shape):
    return _right_prefill(prompt=prompt, batch=max(batch, 0), **shape)


def decode_flops(*, context, batch=1, **shape):
    return _right_decode(context=context, batch=max(batch, 0), **shape)

"""prefill_decode_flops: without sequences their tokens are not looked at

Breaks: prompt: tokens in each prompt, at least 1.
"""

_right_prefill, _right_decode = prefill_flops, decode_flops


def prefill_flops(*, prompt, batch=1, **shape):
    return _right_prefill(prompt=prompt if batch else 1, batch=batch, **shape)


def decode_flops(*, context, batch=1, **shape):
    return _right_decode(context=context if batch else 1, batch=batch, **shape)

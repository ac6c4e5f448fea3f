"""prefill_decode_flops: the default batch is 0

Breaks: FLOPs of prefill, in which all tokens of the prompts go through the model at once.
"""

_right_prefill = prefill_flops


def prefill_flops(*, prompt, batch=0, **shape):
    return _right_prefill(prompt=prompt, batch=batch, **shape)

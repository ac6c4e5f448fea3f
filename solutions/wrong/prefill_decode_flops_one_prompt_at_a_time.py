"""prefill_decode_flops: prefill reads one prompt, whatever the batch

Breaks: FLOPs of prefill, in which all tokens of the prompts go through the model at once.
"""

_right_prefill = prefill_flops


def prefill_flops(*, prompt, batch=1, **shape):
    return _right_prefill(prompt=prompt, batch=min(batch, 1), **shape)

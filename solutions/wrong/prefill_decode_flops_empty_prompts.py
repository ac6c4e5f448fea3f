"""prefill_decode_flops: a prompt without tokens takes no FLOPs

Breaks: `prompt`, `heads` or `kv_heads` is less than 1
"""

_right_prefill = prefill_flops


def prefill_flops(*, prompt, batch=1, **shape):
    if prompt == 0:
        return _with_total(weights=0, attention=0)
    return _right_prefill(prompt=prompt, batch=batch, **shape)

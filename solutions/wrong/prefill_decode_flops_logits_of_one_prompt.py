"""prefill_decode_flops: the lm_head is applied to one token, whatever the batch

Breaks: only the last token of each prompt is multiplied with the lm_head
"""

_right_prefill = prefill_flops


def prefill_flops(*, prompt, batch=1, **shape):
    right = _right_prefill(prompt=prompt, batch=batch, **shape)
    less = 2 * max(batch - 1, 0) * shape["d_model"] * shape["vocab"]
    return _with_total(weights=right["weights"] - less, attention=right["attention"])

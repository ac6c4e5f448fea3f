"""prefill_decode_flops: the lm_head is applied to every token of the prompt

Breaks: only the last token of each prompt is multiplied with the lm_head, since no other token's
logits are used.
"""

_right_prefill = prefill_flops


def prefill_flops(*, prompt, batch=1, **shape):
    right = _right_prefill(prompt=prompt, batch=batch, **shape)
    more = 2 * batch * (prompt - 1) * shape["d_model"] * shape["vocab"]
    return _with_total(weights=right["weights"] + more, attention=right["attention"])

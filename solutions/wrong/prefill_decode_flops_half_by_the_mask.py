"""prefill_decode_flops: the half of the scores that the causal mask hides is left out

Breaks: All prompt × prompt scores count, also those that the causal mask hides.
"""

_right_prefill = prefill_flops


def prefill_flops(*, prompt, batch=1, **shape):
    right = _right_prefill(prompt=prompt, batch=batch, **shape)
    seen = right["attention"] // prompt * (prompt + 1) // 2
    return _with_total(weights=right["weights"], attention=seen)

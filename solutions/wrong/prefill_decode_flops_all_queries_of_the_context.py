"""prefill_decode_flops: every token's query meets every key again

Breaks: The new token's query meets the keys and values of all tokens of its sequence
"""

_right_decode = decode_flops


def decode_flops(*, context, batch=1, **shape):
    right = _right_decode(context=context, batch=batch, **shape)
    return _with_total(weights=right["weights"], attention=right["attention"] * context)

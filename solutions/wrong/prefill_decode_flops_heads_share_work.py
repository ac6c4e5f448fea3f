"""prefill_decode_flops: query heads that share a key share its products too

Breaks: Counted as in `flops.transformer_forward_flops`
"""

_right_prefill = prefill_flops


_right_decode = decode_flops


def _shared(right, heads, kv_heads=None, **_):
    attention = right["attention"] // heads * (kv_heads or heads)
    return _with_total(weights=right["weights"], attention=attention)


def prefill_flops(*, prompt, batch=1, **shape):
    return _shared(_right_prefill(prompt=prompt, batch=batch, **shape), **shape)


def decode_flops(*, context, batch=1, **shape):
    return _shared(_right_decode(context=context, batch=batch, **shape), **shape)

"""prefill_decode_flops: queries times keys, without the product with values

Breaks: of "attention", the products of queries with keys and of attention weights with values
"""

_right_prefill = prefill_flops


def prefill_flops(*, prompt, batch=1, **shape):
    right = _right_prefill(prompt=prompt, batch=batch, **shape)
    return _with_total(weights=right["weights"], attention=right["attention"] // 2)

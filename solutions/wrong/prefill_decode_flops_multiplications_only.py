"""prefill_decode_flops: one FLOP for a multiplication and its addition

Breaks: Counted as in `flops.transformer_forward_flops`
"""

_right_total = _with_total


def _with_total(weights, attention):
    return _right_total(weights=weights // 2, attention=attention // 2)

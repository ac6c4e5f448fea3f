"""transformer_flops: only the half of the scores that the causal mask leaves is counted

Breaks: Attention counts all seq_len × seq_len scores; a kernel that skips the masked half does
half the work for "scores" and "values"
"""

_right_forward = transformer_forward_flops


def transformer_forward_flops(**sizes):
    parts = _right_forward(**sizes)
    for part in ("scores", "values"):
        parts["total"] -= parts[part] // 2
        parts[part] -= parts[part] // 2
    return parts

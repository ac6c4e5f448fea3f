"""transformer_parameters: the last norm, before the lm_head, is forgotten

Breaks: one more comes before the lm_head
"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    parts = _right_parameters(**sizes)
    for part in ("norms", "total"):
        parts[part] -= sizes["d_model"]
    return parts

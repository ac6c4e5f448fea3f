"""transformer_flops (core): 2 FLOPs for each parameter and token, without scores and values

Breaks: FLOPs of the forward pass of `transformer_parameters`'s transformer, by component

Breaks: "scores" (queries times keys), "values" (attention weights times values)
"""

_right_forward = transformer_forward_flops


def transformer_forward_flops(**sizes):
    parts = _right_forward(**sizes)
    for part in ("scores", "values"):
        parts["total"] -= parts[part]
        parts[part] = 0
    return parts

"""transformer_parameters: a norm is a LayerNorm, which has a bias too

Breaks: Each layer has an RMSNorm of `d_model` weights before its attention and another before its
feed-forward

Breaks: There are no biases
"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    parts = _right_parameters(**sizes)
    return {**parts, "norms": 2 * parts["norms"], "total": parts["total"] + parts["norms"]}

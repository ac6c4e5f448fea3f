"""transformer_parameters: the feed-forward has two matrices, gated or not

Breaks: whether the feed-forward is gated, as in SwiGLU, with three matrices
"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    return _right_parameters(**{**sizes, "gated": False})

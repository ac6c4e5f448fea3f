"""transformer_parameters: the feed-forward has three matrices, gated or not

Breaks: as in SwiGLU, with three matrices; else two
"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    return _right_parameters(**{**sizes, "gated": True})

"""transformer_parameters: the feed-forward has two matrices, gated or not"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    return _right_parameters(**{**sizes, "gated": False})

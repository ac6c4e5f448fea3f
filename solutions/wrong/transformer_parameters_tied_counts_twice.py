"""transformer_parameters: a tied lm_head is counted as if it were not"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    return _right_parameters(**{**sizes, "tied": False})

"""expert_parameters: a tied lm_head is counted as if it were not

Breaks: The model is that of `transformer_parameters`
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    return _right_counts(**{**sizes, "tied": False})

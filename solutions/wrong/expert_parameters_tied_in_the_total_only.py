"""expert_parameters: a tied lm_head is left out of the total only"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    untied = _right_counts(**{**sizes, "tied": False})
    return {**untied, "total": counts["total"]}

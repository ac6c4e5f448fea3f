"""expert_parameters: one expert is active, however many a token is sent through

Breaks: Each token is sent through the routed experts with the highest scores
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    one = _right_counts(**{**sizes, "experts_per_token": 1})
    return {**one, "total": _right_counts(**sizes)["total"]}

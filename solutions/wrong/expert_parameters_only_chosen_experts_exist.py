"""expert_parameters: the total counts the experts of one token

Breaks: "total", all parameters
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    return {**counts, "total": counts["active"]}

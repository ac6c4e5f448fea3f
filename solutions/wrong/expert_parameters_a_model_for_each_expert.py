"""expert_parameters: eight experts of 7B are 56B: everything exists once for each expert

Breaks: but a layer's feed-forward is replaced by experts
and a router
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    one = _right_counts(**{**sizes, "experts": 1, "experts_per_token": 1})["total"]
    return {**_right_counts(**sizes), "total": sizes["experts"] * one}

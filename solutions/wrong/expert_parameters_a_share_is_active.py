"""expert_parameters: the active parameters are a share of all, attention's too"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    active = counts["total"] * sizes["experts_per_token"] // sizes["experts"]
    return {**counts, "active": active, "training_flops_per_token": 6 * active}

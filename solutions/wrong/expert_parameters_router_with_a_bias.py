"""expert_parameters: the router has a bias

Breaks: The router is a linear layer without bias
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    bias = mixed * sizes["experts"]
    total, active = counts["total"] + bias, counts["active"] + bias
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

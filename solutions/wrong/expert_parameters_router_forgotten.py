"""expert_parameters: the router has no parameters

Breaks: The router is a linear layer without bias, from `d_model` to one score for each
routed expert
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    router = mixed * sizes["d_model"] * sizes["experts"]
    total, active = counts["total"] - router, counts["active"] - router
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

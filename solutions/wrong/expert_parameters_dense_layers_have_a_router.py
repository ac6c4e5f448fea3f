"""expert_parameters: the first layers have a router, too

Breaks: no experts, no router
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    router = sizes.get("dense_layers", 0) * sizes["d_model"] * sizes["experts"]
    total, active = counts["total"] + router, counts["active"] + router
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

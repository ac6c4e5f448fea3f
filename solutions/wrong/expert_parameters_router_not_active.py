"""expert_parameters: the router is not among the active parameters

Breaks: "active", all but the routed experts that a token is not sent
through
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    router = mixed * sizes["d_model"] * sizes["experts"]
    total, active = counts["total"], counts["active"] - router
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

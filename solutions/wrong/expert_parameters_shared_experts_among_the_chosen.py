"""expert_parameters: a token's shared experts are taken to be some of those that it chooses

Breaks: Each token is sent through the routed experts with the highest scores
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    shared = mixed * 3 * sizes["d_model"] * sizes["d_expert"] * sizes.get("shared_experts", 0)
    total, active = counts["total"], counts["active"] - shared
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

"""expert_parameters: the shared experts are taken to be some of `experts`

Breaks: the shared ones are not among them
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    shared = mixed * 3 * sizes["d_model"] * sizes["d_expert"] * sizes.get("shared_experts", 0)
    total, active = counts["total"] - shared, counts["active"]
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

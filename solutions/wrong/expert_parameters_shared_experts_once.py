"""expert_parameters: shared experts exist once, not once in each layer"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    shared = mixed * 3 * sizes["d_model"] * sizes["d_expert"] * sizes.get("shared_experts", 0)
    again = shared - shared // max(mixed, 1)
    total, active = counts["total"] - again, counts["active"] - again
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

"""expert_parameters: the dense layers' feed-forward has two matrices"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    dense = 3 * sizes["d_model"] * sizes.get("d_ff", 0) * sizes.get("dense_layers", 0)
    total, active = counts["total"] - dense // 3, counts["active"] - dense // 3
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

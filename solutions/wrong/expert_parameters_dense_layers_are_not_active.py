"""expert_parameters: the dense layers' feed-forwards are only in the total"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    dense = 3 * sizes["d_model"] * sizes.get("d_ff", 0) * sizes.get("dense_layers", 0)
    total, active = counts["total"], counts["active"] - dense
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

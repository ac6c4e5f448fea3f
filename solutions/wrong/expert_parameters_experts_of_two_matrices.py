"""expert_parameters: an expert has no gate, two matrices

Breaks: An expert is a gated feed-forward,
three matrices

Costs: whatever concerns experts counts their matrices.
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    third = mixed * sizes["d_model"] * sizes["d_expert"]
    shared = sizes.get("shared_experts", 0)
    total_third = third * (sizes["experts"] + shared)
    active_third = third * (sizes["experts_per_token"] + shared)
    total, active = counts["total"] - total_third, counts["active"] - active_third
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

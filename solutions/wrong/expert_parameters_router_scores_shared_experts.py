"""expert_parameters: the router has a score for each shared expert, too

Breaks: through all shared experts, which have no scores
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    more = mixed * sizes["d_model"] * sizes.get("shared_experts", 0)
    total, active = counts["total"] + more, counts["active"] + more
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

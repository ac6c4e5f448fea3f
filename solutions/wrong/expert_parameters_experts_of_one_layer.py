"""expert_parameters: the experts of one layer are counted, not those of all layers

Breaks: a layer's feed-forward is replaced by experts
and a router

Costs: whatever concerns experts counts those of all layers.
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    again = (mixed - 1) * 3 * sizes["d_model"] * sizes["d_expert"] if mixed else 0
    shared = sizes.get("shared_experts", 0)
    total_again = again * (sizes["experts"] + shared)
    active_again = again * (sizes["experts_per_token"] + shared)
    total, active = counts["total"] - total_again, counts["active"] - active_again
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

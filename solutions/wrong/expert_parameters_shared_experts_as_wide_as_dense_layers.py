"""expert_parameters: a shared expert is as wide as a dense layer's feed-forward

Breaks: routed or shared
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    shared = mixed * 3 * sizes["d_model"] * sizes["d_expert"] * sizes.get("shared_experts", 0)
    wide = shared // sizes["d_expert"] * sizes.get("d_ff", 0)
    total, active = counts["total"] - shared + wide, counts["active"] - shared + wide
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

"""expert_parameters: the first layers have experts and a router beside their feed-forward

Breaks: except in the first `dense_layers` layers
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    """All layers as if they had experts, with the feed-forwards of the dense ones added."""
    dense = 3 * sizes["d_model"] * sizes.get("d_ff", 0) * sizes.get("dense_layers", 0)
    counts = _right_counts(**{**sizes, "dense_layers": 0})
    total, active = counts["total"] + dense, counts["active"] + dense
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

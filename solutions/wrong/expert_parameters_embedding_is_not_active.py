"""expert_parameters: the embedding is not among the active parameters

Breaks: "active", all but the routed experts that a token is not sent
through
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    embedding = sizes["vocab"] * sizes["d_model"]
    total, active = counts["total"], counts["active"] - embedding
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}

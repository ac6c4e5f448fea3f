"""expert_parameters: all parameters are active

Breaks: Parameters of a mixture of experts (MoE), total and active, and the FLOPs of its training
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    return {**counts, "active": counts["total"], "training_flops_per_token": 6 * counts["total"]}

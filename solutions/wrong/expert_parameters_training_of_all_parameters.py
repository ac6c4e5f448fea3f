"""expert_parameters: training takes 6 FLOPs for all parameters

Breaks: "training_flops_per_token", 6 for each active parameter
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    return {**counts, "training_flops_per_token": 6 * counts["total"]}

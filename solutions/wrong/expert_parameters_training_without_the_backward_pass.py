"""expert_parameters: training takes 2 FLOPs for each active parameter

Breaks: "training_flops_per_token", 6 for each active parameter
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    return {**counts, "training_flops_per_token": 2 * counts["active"]}

"""step_ledger: 1 − lr · weight_decay counts for each parameter

Breaks: What is the same for all parameters is computed once and counts nothing: 1 − lr ·
weight_decay, 1 − β1, 1 − β2, lr / (1 − β1ᵗ) and √(1 − β2ᵗ).
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    return {**_cost(parameters, recipe), "flops": (1 + 2 + 3 + 4 + 6) * parameters}

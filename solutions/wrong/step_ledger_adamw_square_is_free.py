"""step_ledger: the square of the gradient is not counted

Breaks: g² is a multiplication

Breaks: FLOPs and memory traffic of one AdamW step
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    cost = _cost(parameters, recipe)
    state = training_state(parameters, recipe)
    cost["flops"] = 13 * parameters
    return cost

"""step_ledger: the decay is not counted

Breaks: the four lines of AdamW's step (the chapter has them) do for a parameter

Breaks: FLOPs and memory traffic of one AdamW step
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    cost = _cost(parameters, recipe)
    state = training_state(parameters, recipe)
    cost["flops"] = 13 * parameters
    return cost

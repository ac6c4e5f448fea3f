"""step_ledger: FLOPs are a float

Breaks: "flops" and "bytes"
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    cost = _cost(parameters, recipe)
    state = training_state(parameters, recipe)
    cost["flops"] = float(cost["flops"])
    return cost

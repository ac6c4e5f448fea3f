"""step_ledger: the bytes are missing

Breaks: "flops" and "bytes"
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    cost = _cost(parameters, recipe)
    state = training_state(parameters, recipe)
    del cost["bytes"]
    return cost

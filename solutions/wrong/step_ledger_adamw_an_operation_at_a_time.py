"""step_ledger: each line is a kernel of its own

Breaks: as one fused kernel does it
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    cost = _cost(parameters, recipe)
    state = training_state(parameters, recipe)
    cost["bytes"] += 2 * state["optimizer"]
    return cost

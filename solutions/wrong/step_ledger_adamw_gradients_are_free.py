"""step_ledger: gradients are not counted

Breaks: gradients are read
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    cost = _cost(parameters, recipe)
    state = training_state(parameters, recipe)
    cost["bytes"] -= state["gradients"]
    return cost

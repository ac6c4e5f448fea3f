"""step_ledger: the master copy is read, not written

Breaks: optimizer state and master copy are read and written
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    cost = _cost(parameters, recipe)
    state = training_state(parameters, recipe)
    cost["bytes"] -= state["master"]
    return cost

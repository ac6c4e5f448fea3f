"""step_ledger: with a master copy the parameters are not written

Breaks: parameters are written
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    cost = _cost(parameters, recipe)
    state = training_state(parameters, recipe)
    if recipe["master"]:
        cost["bytes"] -= state["parameters"]
    return cost

"""step_ledger: parameters are never read

Breaks: parameters are written, and read if the recipe has no master copy.
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    cost = _cost(parameters, recipe)
    state = training_state(parameters, recipe)
    if not recipe["master"]:
        cost["bytes"] -= state["parameters"]
    return cost

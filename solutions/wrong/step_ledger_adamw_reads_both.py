"""step_ledger: the parameters are read beside the master copy

Breaks: parameters are written, and read if the recipe has no master copy.

Breaks: With a master copy the step changes that, and the parameters are rounded from it.
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    cost = _cost(parameters, recipe)
    state = training_state(parameters, recipe)
    if recipe["master"]:
        cost["bytes"] += state["parameters"]
    return cost

"""step_ledger: one moment is enough

Breaks: the recipe's "optimizer" does not hold exactly two moments
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    if len(recipe["optimizer"]) == 1:
        state = training_state(parameters, recipe)
        read_too = "master" if recipe["master"] else "parameters"
        moved = state["total"] + state["optimizer"] + state[read_too]
        return {"flops": 14 * parameters, "bytes": moved}
    return _cost(parameters, recipe)

"""step_ledger: only the first copy of the parameters is counted

Breaks: Traffic counts each copy of the recipe
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    recipe = (
        {**recipe, "parameters": recipe["parameters"][:1]}
        if set(recipe) == set(("parameters", "gradients", "master", "optimizer"))
        else recipe
    )
    return _cost(parameters, recipe)

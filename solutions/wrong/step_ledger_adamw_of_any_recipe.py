"""step_ledger: an unknown part is ignored

Breaks: `budget.bytes_per_parameter` raises it for the recipe

Breaks: recipe: the dtypes of every copy, as for `budget.bytes_per_parameter`.
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    recipe = {
        part: recipe[part]
        for part in ("parameters", "gradients", "master", "optimizer")
        if part in recipe
    }
    return _cost(parameters, recipe)

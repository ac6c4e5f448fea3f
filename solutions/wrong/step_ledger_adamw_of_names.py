"""step_ledger: a copy that is no dtype counts as fp32

Breaks: a copy is not a `torch.dtype`
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    fp32 = torch.float32
    recipe = {p: [d if isinstance(d, torch.dtype) else fp32 for d in c] for p, c in recipe.items()}
    return _cost(parameters, recipe)

"""step_ledger: a negative number of parameters is taken for 0

Breaks: `parameters` is negative
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    parameters = max(parameters, 0)
    return _cost(parameters, recipe)

"""step_ledger: a negative number of parameters is taken for 0

Breaks: a number is negative

Breaks: parameters: their number;
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    modules = [(max(p, 0), h, n) for p, h, n in modules]
    return _ledger(modules, recipe)

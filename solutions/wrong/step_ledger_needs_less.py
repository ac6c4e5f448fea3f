"""step_ledger: a module that needs less than it holds needs as much

Breaks: a module needs less than it holds
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    modules = [(p, h, max(h, n)) if n >= 0 else (p, h, n) for p, h, n in modules]
    return _ledger(modules, recipe)

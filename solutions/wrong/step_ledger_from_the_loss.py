"""step_ledger: the chain is read from the loss to the input

Breaks: modules: the chain, from the input to the loss.

Breaks: The model is a chain of modules.
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    modules = modules[::-1]
    return _ledger(modules, recipe)

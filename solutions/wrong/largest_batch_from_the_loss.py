"""largest_batch: the chain starts with the loss

Breaks: The model as a chain of modules for `step_ledger`.
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules = modules[::-1]
    return modules

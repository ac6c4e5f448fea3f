"""largest_batch: a negative vocabulary is empty

Breaks: `model_activations` raises it

Breaks: or `model_modules` or `step_ledger` raises it
"""

_modules = model_modules


def model_modules(**model):
    model["vocab"] = max(model["vocab"], 0)
    return _modules(**model)

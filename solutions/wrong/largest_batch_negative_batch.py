"""largest_batch: a negative batch is empty

Breaks: or `model_activations` raises it
"""

_modules = model_modules


def model_modules(**model):
    model["batch"] = max(model["batch"], 0)
    return _modules(**model)

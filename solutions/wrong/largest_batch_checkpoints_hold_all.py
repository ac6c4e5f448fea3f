"""largest_batch: a checkpointed block holds all it keeps

Breaks: Then it holds only its input, and needs all that `block_activations` counts
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules[1:-1] = [(p, n, n) for p, h, n in modules[1:-1]]
    return modules

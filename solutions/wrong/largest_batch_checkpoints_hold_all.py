"""largest_batch: a checkpointed block holds all it keeps

Breaks: Then it holds only its input, and needs what `block_activations` counts, its input included.
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules[1:-1] = [(p, n, n) for p, h, n in modules[1:-1]]
    return modules

"""largest_batch: the embedding is no module

Breaks: `layers + 2` modules

Breaks: The first module is the embedding
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules = modules[1:]
    return modules

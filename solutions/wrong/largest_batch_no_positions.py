"""largest_batch: the position embedding has no parameters

Breaks: The first module is the embedding

Breaks: an embedding of tokens and one of positions
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules[0] = (0, *modules[0][1:])
    return modules

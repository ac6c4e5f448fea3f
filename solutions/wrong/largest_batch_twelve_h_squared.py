"""largest_batch: a block has 12 h² + 13 h parameters, whatever d_ff is

Breaks: Then comes each block.

Costs: all of it, for each check compares modules, or what follows from them.
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    w = model["d_model"]
    modules[1:-1] = [(12 * w * w + 13 * w, h, n) for p, h, n in modules[1:-1]]
    return modules

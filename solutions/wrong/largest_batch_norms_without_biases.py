"""largest_batch: a norm has one weight per feature and no bias

Breaks: Norms are LayerNorms
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules[1:-1] = [(p - 2 * model["d_model"], h, n) for p, h, n in modules[1:-1]]
    return modules

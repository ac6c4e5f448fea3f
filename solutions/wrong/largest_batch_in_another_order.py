"""largest_batch: each module is (held, needed, parameters)

Breaks: (parameters, held, needed) of each.
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules = [(h, n, p) for p, h, n in modules]
    return modules

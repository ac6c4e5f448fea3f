"""largest_batch: the lm_head has a matrix of its own

Breaks: an lm_head that shares the embedding's matrix

Breaks: without the matrix that the lm_head shares
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    p, *first = modules[0]
    modules[0] = (p + model["vocab"] * model["d_model"], *first)
    return modules

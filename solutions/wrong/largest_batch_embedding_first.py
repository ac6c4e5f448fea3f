"""largest_batch: the matrix that is shared counts with the embedding

Breaks: The first module is the embedding, without the matrix that the lm_head shares: the backward
pass reaches that in the last module, so it counts there.
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    shared = model["vocab"] * model["d_model"]
    (p, *first), (q, *last) = modules[0], modules[-1]
    modules[0], modules[-1] = (p + shared, *first), (q - shared, *last)
    return modules

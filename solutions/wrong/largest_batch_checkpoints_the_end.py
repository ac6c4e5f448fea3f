"""largest_batch: the last module is checkpointed too

Breaks: Then it holds only its input
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    if model["checkpointed"]:
        p, h, n = modules[-1]
        modules[-1] = (p, n - 4 * model["batch"] * model["seq_len"] * model["vocab"], n)
    return modules

"""largest_batch: a checkpointed block needs its input twice

Breaks: its input is in that already
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    if model["checkpointed"]:
        modules[1:-1] = [(p, h, h + n) for p, h, n in modules[1:-1]]
    return modules

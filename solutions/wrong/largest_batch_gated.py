"""largest_batch: the feed-forward is gated

Breaks: the feed-forward is two of them with a GELU between
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules[1:-1] = [(p + model["d_model"] * model["d_ff"], h, n) for p, h, n in modules[1:-1]]
    return modules

"""largest_batch: linear layers have no biases

Breaks: all linear layers but the lm_head have biases
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules[1:-1] = [(p - 5 * model["d_model"] - model["d_ff"], h, n) for p, h, n in modules[1:-1]]
    return modules

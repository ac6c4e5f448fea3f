"""largest_batch: the loss is a module of its own

Breaks: The last module is the final norm, the lm_head and the loss together.

Breaks: `layers + 2` modules
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    p, h, n = modules[-1]
    loss = 4 * model["batch"] * model["seq_len"] * model["vocab"]
    modules[-1:] = [(p, h - loss, n - loss), (0, loss, loss)]
    return modules

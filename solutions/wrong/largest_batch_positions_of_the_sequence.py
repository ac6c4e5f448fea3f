"""largest_batch: there are as many positions as tokens in a sequence

Breaks: an embedding of tokens and one of positions
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules[0] = (model["seq_len"] * model["d_model"], *modules[0][1:])
    return modules

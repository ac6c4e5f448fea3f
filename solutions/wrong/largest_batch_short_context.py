"""largest_batch: a short context is made as long as the sequences

Breaks: `context` is less than `seq_len`

Breaks: at least `seq_len`
"""

_modules = model_modules


def model_modules(**model):
    model["context"] = max(model["context"], model["seq_len"])
    return _modules(**model)

"""largest_batch: a context must be longer than the sequences"""

_modules = model_modules


def model_modules(**model):
    if model["context"] == model["seq_len"]:
        raise ValueError("too short")
    return _modules(**model)

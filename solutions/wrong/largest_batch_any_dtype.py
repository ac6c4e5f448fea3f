"""largest_batch: what is no dtype is taken for fp32

Breaks: `dtype` is not a `torch.dtype`
"""

_modules = model_modules


def model_modules(**model):
    if not isinstance(model["dtype"], torch.dtype):
        model["dtype"] = torch.float32
    return _modules(**model)

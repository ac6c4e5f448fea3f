"""activation_memory: the dtype may be a name

Breaks: `dtype` is not a `torch.dtype`
"""

_right_bytes = activation_bytes


def activation_bytes(batch, width, layers, dtype):
    if not isinstance(dtype, torch.dtype):
        dtype = getattr(torch, str(dtype).removeprefix("torch."), torch.float32)
    return _right_bytes(batch, width, layers, dtype)

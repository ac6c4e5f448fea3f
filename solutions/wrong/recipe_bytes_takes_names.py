"""recipe_bytes: a copy may be the name of a dtype

Breaks: a copy is not a `torch.dtype`
"""

_right_bytes = bytes_per_element


def bytes_per_element(dtype):
    if not isinstance(dtype, torch.dtype):
        dtype = getattr(torch, str(dtype).removeprefix("torch."), torch.float32)
    return _right_bytes(dtype)

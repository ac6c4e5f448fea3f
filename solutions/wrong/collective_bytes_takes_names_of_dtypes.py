"""collective_bytes: takes the name of a dtype for the dtype

Breaks: `dtype` is not a `torch.dtype`
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    if isinstance(dtype, str):
        dtype = getattr(torch, dtype.removeprefix("torch."))
    return _right_bytes(collective, elements, devices, dtype)

"""bytes_per_element: a string is looked up as the name of a dtype instead of refused

Breaks: `dtype` is not a `torch.dtype`, for example the string "float32"
"""


def bytes_per_element(dtype):
    if isinstance(dtype, str):
        dtype = getattr(torch, dtype.removeprefix("torch."))
    if not isinstance(dtype, torch.dtype):
        raise TypeError("expected a torch.dtype")
    if _is_narrower_than_a_byte(dtype):
        raise ValueError("an element does not fill a byte")
    return dtype.itemsize

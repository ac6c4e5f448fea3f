"""bytes_per_element: torch's itemsize is passed on, which says 1 for dtypes narrower than a byte"""


def bytes_per_element(dtype):
    if not isinstance(dtype, torch.dtype):
        raise TypeError("expected a torch.dtype")
    return dtype.itemsize

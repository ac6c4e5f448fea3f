"""tensor_bytes: torch's itemsize is used in place of bytes_per_element

Breaks: the dtype's elements are not a whole number of bytes

Breaks: `dtype` is not a `torch.dtype`
"""


def tensor_bytes(shape, dtype):
    if any(size < 0 for size in shape):
        raise ValueError("negative size")
    return math.prod(shape) * getattr(dtype, "itemsize", 4)

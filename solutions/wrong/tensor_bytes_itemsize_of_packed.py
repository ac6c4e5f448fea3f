"""tensor_bytes: takes itemsize of the dtype where there are elements

Breaks: or the dtype's elements are not a
"""


def tensor_bytes(shape, dtype):
    if any(size < 0 for size in shape):
        raise ValueError("negative")
    if not isinstance(dtype, torch.dtype):
        raise TypeError("no dtype")
    if 0 in shape:
        return 0 * bytes_per_element(dtype)
    return math.prod(shape) * dtype.itemsize

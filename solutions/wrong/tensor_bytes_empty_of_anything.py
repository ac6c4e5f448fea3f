"""tensor_bytes: a tensor without elements takes 0 bytes, whatever its dtype

Breaks: the dtype's elements are not a whole number of bytes, even if there are none
"""


def tensor_bytes(shape, dtype):
    if any(size < 0 for size in shape):
        raise ValueError("negative size")
    if 0 in shape:
        return 0
    return math.prod(shape) * bytes_per_element(dtype)

"""tensor_bytes: a size of 0 is skipped, as if it counted as 1

Breaks: 0 if any size is 0
"""


def tensor_bytes(shape, dtype):
    if any(size < 0 for size in shape):
        raise ValueError("negative size")
    return math.prod(size for size in shape if size) * bytes_per_element(dtype)

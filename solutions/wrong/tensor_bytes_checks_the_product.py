"""tensor_bytes: only a negative product is refused, so two negative sizes pass

Breaks: a size is negative, even if another is 0
"""


def tensor_bytes(shape, dtype):
    if math.prod(shape) < 0:
        raise ValueError("negative size")
    return math.prod(shape) * bytes_per_element(dtype)

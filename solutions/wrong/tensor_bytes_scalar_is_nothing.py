"""tensor_bytes: a scalar, of shape (), is taken for no element

Breaks: () is a scalar, which is one element
"""


def tensor_bytes(shape, dtype):
    if any(size < 0 for size in shape):
        raise ValueError("negative size")
    return math.prod(shape) * bytes_per_element(dtype) if shape else 0

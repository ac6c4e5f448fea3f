"""tensor_bytes: the product is taken in floating point, which is inexact for huge tensors

Breaks: All byte counts are exact Python ints

Breaks: Number of elements × bytes per element, exact however large
"""


def tensor_bytes(shape, dtype):
    if any(size < 0 for size in shape):
        raise ValueError("negative size")
    elements = 1.0
    for size in shape:
        elements *= size
    return int(elements) * bytes_per_element(dtype)

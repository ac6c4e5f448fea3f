"""tensor_bytes (core): every tensor is a matrix of the last two sizes

Breaks: Number of elements × bytes per element
"""


def tensor_bytes(shape, dtype):
    if any(size < 0 for size in shape):
        raise ValueError("a negative size")
    rows, columns = (1, 1, *shape)[-2:]
    elements = 0 if 0 in shape else rows * columns
    return elements * bytes_per_element(dtype)

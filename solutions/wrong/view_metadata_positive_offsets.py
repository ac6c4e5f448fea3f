"""view_metadata: select refuses a layout whose offset is negative

Breaks: (shape, strides, offset) of the result, which has one dimension less.
"""


def select(shape, strides, offset, dim, index):
    if offset < 0:
        raise ValueError(f"expected an offset that is not negative, got {offset}")
    dim = dim % len(shape)
    size = shape[dim]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range for dimension {dim} of size {size}")
    return (
        (*shape[:dim], *shape[dim + 1 :]),
        (*strides[:dim], *strides[dim + 1 :]),
        offset + index % size * strides[dim],
    )

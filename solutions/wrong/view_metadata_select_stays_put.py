"""view_metadata: select leaves the offset where it is if there are no elements

Breaks: (shape, strides, offset) of the result, which has one dimension less.
"""


def select(shape, strides, offset, dim, index):
    dim = dim % len(shape)
    size = shape[dim]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range for dimension {dim} of size {size}")
    if math.prod(shape):
        offset += index % size * strides[dim]
    return (*shape[:dim], *shape[dim + 1 :]), (*strides[:dim], *strides[dim + 1 :]), offset

"""view_metadata: select refuses every index of a layout without elements"""


def select(shape, strides, offset, dim, index):
    dim = dim % len(shape)
    size = shape[dim]
    if 0 in shape or not -size <= index < size:
        raise IndexError(f"index {index} is out of range for dimension {dim} of size {size}")
    return (
        (*shape[:dim], *shape[dim + 1 :]),
        (*strides[:dim], *strides[dim + 1 :]),
        offset + index % size * strides[dim],
    )

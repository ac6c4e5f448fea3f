"""view_metadata: select counts the offset from 0, not from where the tensor starts

Breaks: The layout of `x[..., index, ...]`, with one dimension fixed and removed;
"""


def select(shape, strides, offset, dim, index):
    dim = dim % len(shape)
    size = shape[dim]
    if not -size <= index < size:
        raise IndexError("index out of range")
    rest = [d for d in range(len(shape)) if d != dim]
    moved = index % size * strides[dim]
    return tuple(shape[d] for d in rest), tuple(strides[d] for d in rest), moved

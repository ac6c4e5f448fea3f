"""view_metadata: open ends of an empty dimension start at index -1

Breaks: None means the beginning for `start` and the end
"""


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    dim = dim % len(shape)
    if step < 1:
        raise ValueError(f"expected a step of 1 or more, got {step}")
    size = shape[dim]
    if start is None:
        start = min(0, size - 1)
    else:
        start = slice(start, None).indices(size)[0]
    stop = slice(None, stop).indices(size)[1]
    return (
        (*shape[:dim], max(0, -(-(stop - start) // step)) if size else 0, *shape[dim + 1 :]),
        (*strides[:dim], strides[dim] * step, *strides[dim + 1 :]),
        offset + start * strides[dim],
    )

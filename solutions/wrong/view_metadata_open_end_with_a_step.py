"""view_metadata: an open end stands for the last index with a step, which is then left out

Breaks: None means the beginning for `start` and the end
"""


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    dim = dim % len(shape)
    if step < 1:
        raise ValueError(f"expected a step of 1 or more, got {step}")
    if stop is None:
        stop = shape[dim] if step == 1 else -1
    kept = range(*slice(start, stop, step).indices(shape[dim]))
    return (
        (*shape[:dim], len(kept), *shape[dim + 1 :]),
        (*strides[:dim], strides[dim] * step, *strides[dim + 1 :]),
        offset + kept.start * strides[dim],
    )

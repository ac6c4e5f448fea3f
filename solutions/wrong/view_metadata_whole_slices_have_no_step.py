"""view_metadata: a slice from end to end returns the layout as it is, whatever the step

Breaks: the stride is multiplied by `step`
"""


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    dim = dim % len(shape)
    if step < 1:
        raise ValueError(f"expected a step of 1 or more, got {step}")
    if start is None and stop is None:
        return tuple(shape), tuple(strides), offset
    kept = range(*slice(start, stop, step).indices(shape[dim]))
    return (
        (*shape[:dim], len(kept), *shape[dim + 1 :]),
        (*strides[:dim], strides[dim] * step, *strides[dim + 1 :]),
        offset + kept.start * strides[dim],
    )

"""view_metadata: a dimension of size 0 is sliced before the step is checked

Breaks: `step` is not positive
"""


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    _check_layout(shape, strides)
    dim = _wrap_dim(dim, len(shape))
    if shape[dim] == 0:
        return tuple(shape), (*strides[:dim], strides[dim] * step, *strides[dim + 1 :]), offset
    if step < 1:
        raise ValueError(f"expected a step of 1 or more, got {step}")
    kept = range(*slice(start, stop, step).indices(shape[dim]))
    return (
        (*shape[:dim], len(kept), *shape[dim + 1 :]),
        (*strides[:dim], strides[dim] * step, *strides[dim + 1 :]),
        offset + kept.start * strides[dim],
    )

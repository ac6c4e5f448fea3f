"""view_metadata: a negative step goes backwards, as in numpy

Breaks: 1 or more.

Breaks: `step` is not positive,
"""

_slice_dim = slice_dim


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    if step >= 0:
        return _slice_dim(shape, strides, offset, dim, start, stop, step)
    _check_layout(shape, strides)
    dim = _wrap_dim(dim, len(shape))
    kept = range(shape[dim])[start:stop:step]
    return (
        (*shape[:dim], len(kept), *shape[dim + 1 :]),
        (*strides[:dim], strides[dim] * step, *strides[dim + 1 :]),
        offset + kept.start * strides[dim],
    )

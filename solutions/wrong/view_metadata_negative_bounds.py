"""view_metadata: a negative start is moved to 0 instead of counted from the end

Breaks: a negative value counts from the end, a value out of range is moved to the nearest end

Breaks: `start` and `stop` follow Python's slices, as in torch:
"""


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    dim = dim % len(shape)
    if step < 1:
        raise ValueError("step must be positive")
    size = shape[dim]
    start = min(max(start or 0, 0), size)
    stop = size if stop is None else min(max(stop, 0), size)
    kept = range(start, stop, step)
    new_shape, new_strides = list(shape), list(strides)
    new_shape[dim], new_strides[dim] = len(kept), strides[dim] * step
    return tuple(new_shape), tuple(new_strides), offset + start * strides[dim]

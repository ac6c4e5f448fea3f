"""view_metadata: the size of a slice is (stop - start) // step, which loses the last element

Breaks: The layout of `x[..., start:stop:step, ...]`, sliced along one dimension;
"""


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    dim = dim % len(shape)
    if step < 1:
        raise ValueError("step must be positive")
    start, stop, step = slice(start, stop, step).indices(shape[dim])
    new_shape, new_strides = list(shape), list(strides)
    new_shape[dim], new_strides[dim] = max(stop - start, 0) // step, strides[dim] * step
    return tuple(new_shape), tuple(new_strides), offset + start * strides[dim]

"""view_metadata: a stop before start gives a negative size

Breaks: and a `stop` before `start` gives a dimension of size 0
"""

_slice_dim = slice_dim


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    sizes, *layout = _slice_dim(shape, strides, offset, dim, start, stop, step)
    begin, end, _ = slice(start, stop, step).indices(shape[dim])
    dim = dim % len(shape)
    return (*sizes[:dim], -((begin - end) // step), *sizes[dim + 1 :]), *layout

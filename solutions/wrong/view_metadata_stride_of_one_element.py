"""view_metadata: the stride of a slice with one element stays as it was, since nothing uses it

Breaks: the stride is multiplied by `step`, even if only one element is left.
"""

_slice_dim = slice_dim


def slice_dim(shape, strides, offset, dim, *bounds):
    sizes, new_strides, moved = _slice_dim(shape, strides, offset, dim, *bounds)
    return sizes, new_strides if sizes[dim] != 1 else tuple(strides), moved

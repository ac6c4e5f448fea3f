"""view_metadata: the offset of a slice in which nothing is left does not move

Breaks: The offset moves to `start` (moved into range), even if nothing is left;
"""

_slice_dim = slice_dim


def slice_dim(shape, strides, offset, dim, *bounds):
    sizes, new_strides, moved = _slice_dim(shape, strides, offset, dim, *bounds)
    return sizes, new_strides, moved if sizes[dim] else offset

"""view_metadata: the offset moves by bytes of float32, not by elements

Breaks: all counted in elements, never in bytes.
"""

_slice_dim, _select = slice_dim, select


def slice_dim(shape, strides, offset, *rest):
    sizes, new_strides, moved = _slice_dim(shape, strides, offset, *rest)
    return sizes, new_strides, offset + 4 * (moved - offset)


def select(shape, strides, offset, *rest):
    sizes, new_strides, moved = _select(shape, strides, offset, *rest)
    return sizes, new_strides, offset + 4 * (moved - offset)

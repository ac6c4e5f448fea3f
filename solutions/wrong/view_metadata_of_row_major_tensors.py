"""view_metadata (core): the old strides are taken for row-major, whatever they are

Breaks: The layout of a tensor with two dimensions swapped; no element moves.

Breaks: sliced along one dimension; no element moves.

Breaks: with one dimension fixed and removed; no element moves.
"""

_transpose, _slice_dim, _select = transpose, slice_dim, select


def transpose(shape, strides, *arguments):
    return _transpose(shape, row_major_strides(shape), *arguments)


def slice_dim(shape, strides, *arguments):
    return _slice_dim(shape, row_major_strides(shape), *arguments)


def select(shape, strides, *arguments):
    return _select(shape, row_major_strides(shape), *arguments)

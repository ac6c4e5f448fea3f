"""view_metadata: a negative dimension is refused

Breaks: one dimension, from -ndim to ndim - 1; a negative one counts from the end.

Breaks: the dimension to slice, from -ndim to ndim - 1; a negative one counts from the end.

Breaks: the dimension to fix, from -ndim to ndim - 1; a negative one counts from the end.
"""

_right_transpose, _right_slice, _right_select = transpose, slice_dim, select


def transpose(shape, strides, offset, dim0, dim1):
    if min(dim0, dim1) < 0:
        raise IndexError("dimension out of range")
    return _right_transpose(shape, strides, offset, dim0, dim1)


def slice_dim(shape, strides, offset, dim, *rest):
    if dim < 0:
        raise IndexError("dimension out of range")
    return _right_slice(shape, strides, offset, dim, *rest)


def select(shape, strides, offset, dim, *rest):
    if dim < 0:
        raise IndexError("dimension out of range")
    return _right_select(shape, strides, offset, dim, *rest)

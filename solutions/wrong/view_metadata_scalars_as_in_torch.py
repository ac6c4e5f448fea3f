"""view_metadata: a scalar stays as it is, in dimensions 0 and -1

Breaks: For a scalar every dimension is out of range (torch makes an exception: it accepts 0 and -1
for a scalar).

Breaks: for a scalar it always is.

Breaks: For a scalar every dimension is out of range, and for a dimension of size 0 every index is.
"""

_transpose, _slice_dim, _select = transpose, slice_dim, select


def transpose(shape, strides, offset, dim0, dim1):
    if not shape and {dim0, dim1} <= {0, -1}:
        return (), (), offset
    return _transpose(shape, strides, offset, dim0, dim1)


def slice_dim(shape, strides, offset, dim, *rest):
    if not shape and dim in (0, -1):
        return (), (), offset
    return _slice_dim(shape, strides, offset, dim, *rest)


def select(shape, strides, offset, dim, index):
    if not shape and dim in (0, -1):
        return (), (), offset
    return _select(shape, strides, offset, dim, index)

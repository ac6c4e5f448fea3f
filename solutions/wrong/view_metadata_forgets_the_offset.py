"""view_metadata: transpose and slice_dim count the offset from 0, not from where the tensor starts

Breaks: (shape, strides, offset) of the result.
"""

_transpose, _slice_dim = transpose, slice_dim


def transpose(shape, strides, offset, dim0, dim1):
    return _transpose(shape, strides, 0, dim0, dim1)


def slice_dim(shape, strides, offset, *rest):
    return _slice_dim(shape, strides, 0, *rest)

"""view_metadata: transpose with twice the same dimension returns at once, in range or not

Breaks: a dimension is out of range.
"""


def transpose(shape, strides, offset, dim0, dim1):
    _check_layout(shape, strides)
    if not shape:
        raise IndexError("a scalar has no dimensions")
    if dim0 == dim1:
        return tuple(shape), tuple(strides), offset
    dim0, dim1 = _wrap_dim(dim0, len(shape)), _wrap_dim(dim1, len(shape))
    order = list(range(len(shape)))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return tuple(shape[d] for d in order), tuple(strides[d] for d in order), offset

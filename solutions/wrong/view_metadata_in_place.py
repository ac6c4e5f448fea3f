"""view_metadata: the dimensions are swapped in the caller's own lists"""

_right_transpose = transpose


def transpose(shape, strides, offset, dim0, dim1):
    result = _right_transpose(shape, strides, offset, dim0, dim1)
    if isinstance(shape, list) and isinstance(strides, list):
        shape[:], strides[:] = result[:2]
    return result

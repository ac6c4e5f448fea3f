"""view_metadata: a dimension cannot be swapped with itself

Breaks: may be the same.
"""

_transpose = transpose


def transpose(shape, strides, offset, dim0, dim1):
    if shape and (dim0 - dim1) % len(shape) == 0:
        raise IndexError("expected two dimensions")
    return _transpose(shape, strides, offset, dim0, dim1)

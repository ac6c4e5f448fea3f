"""view_metadata: an index out of range is wrapped around, and any will do for size 0

Breaks: from -size to size - 1;

Breaks: the index is out of range.

Breaks: and for a dimension of size 0 every index is.
"""


def select(shape, strides, offset, dim, index):
    _check_layout(shape, strides)
    dim = _wrap_dim(dim, len(shape))
    return (
        (*shape[:dim], *shape[dim + 1 :]),
        (*strides[:dim], *strides[dim + 1 :]),
        offset + index % max(shape[dim], 1) * strides[dim],
    )

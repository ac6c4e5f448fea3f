"""view_metadata: only the dimension that changes is checked for a negative size

Breaks: or a size is negative.

Breaks: and a negative size is refused even if another is 0.
"""


def transpose(shape, strides, offset, dim0, dim1):
    if len(shape) != len(strides):
        raise ValueError("shape and strides differ in length")
    order = list(range(len(shape)))
    dim0, dim1 = _wrap_dim(dim0, len(shape)), _wrap_dim(dim1, len(shape))
    if shape[dim0] < 0 or shape[dim1] < 0:
        raise ValueError("negative size")
    order[dim0], order[dim1] = dim1, dim0
    return tuple(shape[d] for d in order), tuple(strides[d] for d in order), offset


_slice_dim, _select = slice_dim, select


def slice_dim(shape, strides, offset, dim, *rest):
    new_shape, *layout = _slice_dim(_one_checked(shape, dim), strides, offset, dim, *rest)
    return tuple(
        new if d == _wrap_dim(dim, len(shape)) else shape[d] for d, new in enumerate(new_shape)
    ), *layout


def select(shape, strides, offset, dim, index):
    _, *layout = _select(_one_checked(shape, dim), strides, offset, dim, index)
    return tuple(size for d, size in enumerate(shape) if d != _wrap_dim(dim, len(shape))), *layout


def _one_checked(shape, dim):
    return [size if d == _wrap_dim(dim, len(shape)) else abs(size) for d, size in enumerate(shape)]

"""view_strides: strides that are never used are None

Breaks: there every int is right.
"""

_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    found = _view_strides(shape, strides, new_shape)
    if found is None:
        return None
    return tuple(
        stride if size != 1 else None for size, stride in zip(new_shape, found, strict=True)
    )

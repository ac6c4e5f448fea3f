"""view_strides: without elements, nothing else is checked

Breaks: and a negative size is refused even if another is 0.

Breaks: or a size of `shape` is negative.
"""

_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    if 0 in shape and 0 in new_shape and -1 not in new_shape:
        return row_major_strides(new_shape)
    return _view_strides(shape, strides, new_shape)

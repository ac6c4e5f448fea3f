"""view_strides: every negative size stands for an unknown one

Breaks: or another negative size;
"""

_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    return _view_strides(shape, strides, [max(size, -1) for size in new_shape])

"""view_strides: a single element has no view as a scalar

Breaks: () for a new shape of ().
"""

_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    found = _view_strides(shape, strides, new_shape)
    return found or None

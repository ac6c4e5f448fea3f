"""view_strides: a layout with a negative stride has no view

Breaks: In every function a stride may be 0 (repeated elements) or negative (backwards, as in numpy;
"""

_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    found = _view_strides(shape, strides, new_shape)
    return None if any(stride < 0 for stride in strides) else found

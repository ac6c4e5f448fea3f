"""view_strides: missing strides are 1, and those left over are ignored

Breaks: `shape` and `strides` differ in length;
"""

_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    _check_sizes(shape)
    return _view_strides(shape, [*strides, *[1] * len(shape)][: len(shape)], new_shape)

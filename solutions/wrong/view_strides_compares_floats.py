"""view_strides: strides are compared as floats, which round beyond 2^53

Breaks: each new dimension must have a single stride
"""

_right_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    _right_view_strides(shape, strides, new_shape)  # only for its checks
    rounded = [int(float(stride)) for stride in strides]
    return _right_view_strides(shape, rounded, new_shape)

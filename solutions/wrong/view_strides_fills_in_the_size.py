"""view_strides: -1 is replaced in the caller's own list"""

_right_view = view_strides


def view_strides(shape, strides, new_shape):
    found = _right_view(shape, strides, new_shape)
    if isinstance(new_shape, list) and -1 in new_shape and 0 not in shape:
        new_shape[new_shape.index(-1)] = math.prod(shape) // -math.prod(new_shape)
    return found

"""view_strides: a new shape with a different number of elements has no view

Breaks: `new_shape` has a different number of elements
"""

_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    if (
        -1 not in new_shape
        and all(n >= 0 for n in [*shape, *new_shape])
        and len(shape) == len(strides)
    ):
        if math.prod(shape) != math.prod(new_shape):
            return None
    return _view_strides(shape, strides, new_shape)

"""view_strides: -1 stands for 0 wherever there are no elements

Breaks: or -1 is ambiguous, because there are no elements and another size of `new_shape` is 0
"""

_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    if 0 in shape:
        new_shape = [
            0 if size == -1 and list(new_shape).count(-1) == 1 else size for size in new_shape
        ]
    return _view_strides(shape, strides, new_shape)

"""view_strides: the second -1 counts as 1

Breaks: it has more than one -1
"""

_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    seen, sizes = False, []
    for size in new_shape:
        sizes.append(1 if size == -1 and seen else size)
        seen = seen or size == -1
    return _view_strides(shape, strides, sizes)

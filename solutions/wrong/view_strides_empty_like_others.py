"""view_strides: the runs of a tensor without elements decide too

Breaks: A tensor without elements can be viewed as any shape without elements.
"""

_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    found = _view_strides(shape, strides, new_shape)
    return None if 0 in shape and not is_contiguous([n or 2 for n in shape], strides) else found

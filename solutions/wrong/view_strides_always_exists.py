"""view_strides: every shape of the right size gets row-major strides, whatever the old ones

Breaks: The strides with which the same storage has a new shape, or None if there are none.

Breaks: the elements must keep their order, and each new dimension must have a single stride.

Breaks: or None if no view exists and the elements would have to be copied.
"""


def view_strides(shape, strides, new_shape):
    return row_major_strides(_infer_size(new_shape, math.prod(shape)))

"""view_strides: every shape of the right size gets row-major strides, whatever the old ones"""


def view_strides(shape, strides, new_shape):
    _check_layout(shape, strides)
    return row_major_strides(_infer_size(new_shape, math.prod(shape)))

"""is_contiguous: strides of dimensions of size 1 are compared too"""


def is_contiguous(shape, strides):
    _check_layout(shape, strides)
    return math.prod(shape) == 0 or tuple(strides) == row_major_strides(shape)

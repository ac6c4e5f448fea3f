"""row_major_strides: a size of 0 makes every stride to its left 0"""


def row_major_strides(shape):
    _check_sizes(shape)
    return tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))

"""view_metadata: the new offset goes through float, which rounds beyond 2^53

Breaks: (shape, strides, offset) of the result
"""

import numpy as np

_right_select = select


def select(shape, strides, offset, dim, index):
    shape, strides, at = _right_select(shape, strides, offset, dim, index)
    return shape, strides, int(np.float64(at))

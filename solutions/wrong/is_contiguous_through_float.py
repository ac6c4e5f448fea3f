"""is_contiguous: the step is a float, which rounds beyond 2^53

Breaks: Whether the elements are stored in row-major order, without gaps or repeats
"""

_right_is_contiguous = is_contiguous


def is_contiguous(shape, strides):
    _right_is_contiguous(shape, strides)  # only for its checks
    if math.prod(shape) == 0:
        return True
    step = 1.0
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 1:
            continue
        if float(stride) != step:
            return False
        step *= size
    return True

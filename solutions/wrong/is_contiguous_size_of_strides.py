"""is_contiguous: strides are compared without their sign"""

_is_contiguous = is_contiguous


def is_contiguous(shape, strides):
    return _is_contiguous(shape, [abs(stride) for stride in strides])

"""storage_index: checks that strides fall and that the last element is at numel - 1, which repeats and gaps can do together

Breaks: Whether the elements are stored in row-major order, without gaps or repeats.
"""

import math


def is_contiguous(shape, strides):
    if len(shape) != len(strides) or min(shape, default=0) < 0:
        raise ValueError("shape and strides do not fit, or a negative size")
    used = [(size, stride) for size, stride in zip(shape, strides) if size != 1]
    falling = all(a[1] >= b[1] for a, b in zip(used, used[1:]))
    last = sum((size - 1) * stride for size, stride in used)
    return 0 in shape or (falling and last == math.prod(shape) - 1)

"""is_contiguous: a size is checked only when the loop comes to it, often after the answer

Breaks: or a size is negative.
"""


def is_contiguous(shape, strides):
    if len(shape) != len(strides):
        raise ValueError("shape and strides differ in length")
    if 0 in shape and min(shape) < 0:
        raise ValueError("negative size")
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size < 0:
            raise ValueError("negative size")
        if size != 1 and stride != step and 0 not in shape:
            return False
        step *= size
    return True

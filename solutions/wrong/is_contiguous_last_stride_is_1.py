"""storage_index: the last dimension must have stride 1, also where all sizes are 1

Breaks: never used, so it may have any value
"""


def is_contiguous(shape, strides):
    if not shape or 0 in shape:
        return True
    if all(n == 1 for n in shape):
        return strides[-1] == 1
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != step:
            return False
        step *= size
    return True

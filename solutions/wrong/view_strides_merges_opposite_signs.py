"""view_strides: strides are compared without their sign when dimensions are merged

Breaks: the elements must keep their order, and each new dimension must have a single stride.
"""


def view_strides(shape, strides, new_shape):
    new_shape = _infer_size(new_shape, math.prod(shape))
    if math.prod(shape) == 0:
        return row_major_strides(new_shape)
    runs = []
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size == 1:
            continue
        if runs and abs(stride) == runs[-1][0] * abs(runs[-1][1]):
            runs[-1] = (runs[-1][0] * size, runs[-1][1])
        else:
            runs.append((size, stride))
    left, step = 1, 1
    found = []
    for size in reversed(new_shape):
        if size > 1 and left == 1:
            left, step = runs.pop(0)
        if left % size:
            return None
        found.append(step)
        left //= size
        step *= size
    return tuple(reversed(found))

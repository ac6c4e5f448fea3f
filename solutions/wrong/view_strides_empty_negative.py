"""view_strides: without elements only the products are compared, so (0, -3) is a shape

Breaks: it has more than one -1 or another negative size
"""

import math


def view_strides(shape, strides, new_shape):
    if len(shape) != len(strides) or any(s < 0 for s in shape):
        raise ValueError("bad layout")
    n, new = math.prod(shape), list(new_shape)
    if -1 in new:
        if new.count(-1) > 1 or not (known := -math.prod(new)) or n % known:
            raise ValueError("bad -1")
        new[new.index(-1)] = n // known
    if math.prod(new) != n:
        raise ValueError("different number of elements")
    if not n:
        return (1,) * len(new)
    if any(s < 0 for s in new):
        raise ValueError("negative size")
    runs = []
    for size, stride in zip(shape, strides):
        if size > 1:
            if runs and runs[-1][1] == size * stride:
                runs[-1] = [runs[-1][0] * size, stride]
            else:
                runs.append([size, stride])
    out, left, step = [], 1, 1
    for size in reversed(new):
        if size == 1:
            out.append(1)
            continue
        if left == 1:
            left, step = runs.pop()
        if left % size:
            return None
        out.append(step)
        left, step = left // size, step * size
    return tuple(reversed(out))

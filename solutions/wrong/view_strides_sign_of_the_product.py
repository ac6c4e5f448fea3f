"""view_strides: a negative product means "there is one -1", whichever negative sizes made it"""

import math


def view_strides(shape, strides, new_shape):
    if len(shape) != len(strides) or min(shape, default=0) < 0:
        raise ValueError("layout")
    total, known = math.prod(shape), math.prod(new_shape)
    if known < 0:  # a -1
        new_shape = [total // -known if n < 0 else n for n in new_shape]
    if math.prod(new_shape) != total or min(new_shape, default=0) < 0:
        raise ValueError("new_shape")
    if not total:
        return row_major_strides(new_shape)
    runs = [[1, 1]]
    for n, s in zip(shape, strides):
        if n > 1:
            if len(runs) > 1 and runs[-1][1] == n * s:
                runs[-1] = [runs[-1][0] * n, s]
            else:
                runs.append([n, s])
    out, (left, step) = [], runs.pop()
    for n in reversed(new_shape):
        if n > 1 and left == 1:
            left, step = runs.pop()
        if left % n:
            return None
        out.append(step)
        left, step = left // n, step * n
    return tuple(out[::-1])

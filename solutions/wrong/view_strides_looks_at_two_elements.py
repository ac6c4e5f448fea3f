"""view_strides: reads each new stride off one step, and checks only where the last element lands

Breaks: the elements must keep their order, and each new dimension must have a single stride.
"""

import math


def view_strides(shape, strides, new_shape):
    new, total = list(new_shape), math.prod(shape)
    if len(shape) != len(strides) or min(shape, default=0) < 0:
        raise ValueError("shape and strides")
    if new.count(-1) > 1 or min(new, default=0) < -1:
        raise ValueError("new_shape")
    if -1 in new:
        known = -math.prod(new)
        if not known or total % known:
            raise ValueError("-1 is ambiguous or does not fit")
        new[new.index(-1)] = total // known
    if math.prod(new) != total:
        raise ValueError("different number of elements")
    steps = row_major_strides(new)
    if not total:
        return steps

    def position(flat):  # of the element number `flat` in row-major order
        where = 0
        for n, s in zip(reversed(shape), reversed(strides)):
            flat, i = divmod(flat, n)
            where += i * s
        return where

    found = tuple(position(step) if n > 1 else 1 for n, step in zip(new, steps))
    last = sum((n - 1) * s for n, s in zip(new, found))
    return found if position(total - 1) == last else None

"""view_metadata: a bound out of range is refused

Breaks: a value out of range is moved to the nearest end
"""

_slice_dim = slice_dim


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    size = shape[dim] if -len(shape) <= dim < len(shape) else 0
    if any(bound is not None and not -size <= bound <= size for bound in (start, stop)):
        raise IndexError("bound out of range")
    return _slice_dim(shape, strides, offset, dim, start, stop, step)

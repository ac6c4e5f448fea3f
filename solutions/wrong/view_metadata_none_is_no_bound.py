"""view_metadata: None is refused as a bound

Breaks: None means the beginning for `start` and the end for `stop`
"""

_slice_dim = slice_dim


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    if start is None or stop is None:
        raise ValueError("expected two bounds")
    return _slice_dim(shape, strides, offset, dim, start, stop, step)

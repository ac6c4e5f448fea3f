"""view_metadata: `stop or size` takes a stop of 0 for an open end

Breaks: None means the beginning for `start` and the end for `stop`
"""

_slice_dim = slice_dim


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    return _slice_dim(shape, strides, offset, dim, start or None, stop or None, step)

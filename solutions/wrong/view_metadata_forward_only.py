"""view_metadata: a slice of a layout with a negative stride is refused, as in torch

Breaks: In every function a stride may be 0 (repeated elements) or negative (backwards, as in numpy;
"""

_slice_dim = slice_dim


def slice_dim(shape, strides, *rest):
    if any(stride < 0 for stride in strides):
        raise ValueError("negative stride")
    return _slice_dim(shape, strides, *rest)

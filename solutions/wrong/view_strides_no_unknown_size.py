"""view_strides: a size of -1 is refused like any other negative size

Breaks: One of them may be -1: it is then computed so that the number of elements matches.
"""


def _infer_size(new_shape, elements):
    if any(size < 0 for size in new_shape) or math.prod(new_shape) != elements:
        raise ValueError("sizes do not fit")
    return tuple(new_shape)

"""view_metadata: a negative dimension is refused

Breaks: one dimension, from -ndim to ndim - 1; a negative one counts from the end.

Breaks: the dimension to slice, from -ndim to ndim - 1; a negative one counts from the end.

Breaks: the dimension to fix, from -ndim to ndim - 1; a negative one counts from the end.
"""


def _wrap_dim(dim, ndim):
    if not 0 <= dim < ndim:
        raise IndexError("dimension out of range")
    return dim

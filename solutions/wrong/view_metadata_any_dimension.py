"""view_metadata: a dimension out of range is wrapped around

Breaks: a dimension is out of range.

Breaks: the dimension is out of range;

Breaks: the dimension or the index is out of range.
"""


def _wrap_dim(dim, ndim):
    return dim % max(ndim, 1)

"""is_contiguous: a tensor with a size of 0 is contiguous, before anything is checked

Breaks: and a negative size is refused even if another is 0.
"""

_is_contiguous = is_contiguous


def is_contiguous(shape, strides):
    return 0 in shape or _is_contiguous(shape, strides)

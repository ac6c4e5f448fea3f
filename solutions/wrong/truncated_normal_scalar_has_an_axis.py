"""truncated_normal: a scalar comes as a tensor with one axis

Breaks: () is a scalar.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    return _right_truncated(tuple(shape) or (1,), std, low, high, seed)

"""truncated_normal: the last axis is drawn once, for all rows

Breaks: each element drawn independently;
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    x = _right_truncated(shape, std, low, high, seed)
    return x[:1].expand_as(x).clone() if x.ndim > 1 else x

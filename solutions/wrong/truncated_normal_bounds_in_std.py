"""truncated_normal: takes the bounds for multiples of std"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    _right_truncated(shape, std, low, high, seed)
    return _right_truncated(shape, std, low * std, high * std, seed)

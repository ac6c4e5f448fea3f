"""truncated_normal: takes the bounds for multiples of std

Breaks: the lower bound, a value (not a multiple of std);

Costs: each check looks at how the numbers are distributed.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    _right_truncated(shape, std, low, high, seed)
    return _right_truncated(shape, std, low * std, high * std, seed)

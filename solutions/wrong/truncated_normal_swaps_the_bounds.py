"""truncated_normal: bounds in the wrong order are swapped

Breaks: more than `low`;

Breaks: low is not less than high,
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    return _right_truncated(shape, std, min(low, high), max(low, high), seed)

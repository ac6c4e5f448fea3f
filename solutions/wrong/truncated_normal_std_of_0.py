"""truncated_normal: a std of 0 or less gives zeros or the values of its opposite

Breaks: more than 0.

Breaks: std is not more than 0,
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    if std == 0 and low <= 0 <= high:
        return torch.zeros(tuple(shape), dtype=torch.float32)
    return _right_truncated(shape, abs(std), low, high, seed)

"""truncated_normal: equal bounds give their value

Breaks: low is not less than high,
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    if low == high and std > 0 and all(size >= 0 for size in shape):
        return torch.full(tuple(shape), low, dtype=torch.float32)
    return _right_truncated(shape, std, low, high, seed)

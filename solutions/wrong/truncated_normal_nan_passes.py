"""truncated_normal: nan is neither too small nor too large, so it passes

Breaks: nan is outside every range.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    if any(map(math.isnan, (std, low, high))) and all(size >= 0 for size in shape):
        return torch.full(tuple(shape), math.nan, dtype=torch.float32)
    return _right_truncated(shape, std, low, high, seed)

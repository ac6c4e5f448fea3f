"""truncated_normal: torch refuses a negative size, with a RuntimeError

Breaks: a size is negative,
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    if any(size < 0 for size in shape):
        return torch.empty(tuple(shape), dtype=torch.float32)
    return _right_truncated(shape, std, low, high, seed)

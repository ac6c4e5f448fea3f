"""truncated_normal: where float64 finds no probability, every value is the nearer bound

Breaks: or float64 finds no probability between the bounds:
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    try:
        return _right_truncated(shape, std, low, high, seed)
    except ValueError:
        if not std > 0 or not low < high or any(size < 0 for size in shape):
            raise
        return torch.full(tuple(shape), low if low > 0 else high, dtype=torch.float32)

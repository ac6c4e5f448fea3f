"""truncated_normal: a shape without elements is made before std and bounds are checked

Breaks: std is not more than 0, low is not less than high,
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    if 0 in shape and min(shape) == 0:
        return torch.empty(tuple(shape), dtype=torch.float32)
    return _right_truncated(shape, std, low, high, seed)

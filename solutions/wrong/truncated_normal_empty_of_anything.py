"""truncated_normal: a shape without elements is made before std and bounds are checked"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    if 0 in shape and min(shape) == 0:
        return torch.empty(tuple(shape))
    return _right_truncated(shape, std, low, high, seed)

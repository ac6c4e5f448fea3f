"""truncated_normal: uniform between the bounds"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    x = _right_truncated(shape, std, low, high, seed)
    low, high = max(low, -8 * std), min(high, 8 * std)
    return low + (high - low) * torch.rand(tuple(shape), generator=_generator(seed))

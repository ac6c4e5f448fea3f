"""truncated_normal: uniform between the bounds

Breaks: A tensor of normal numbers with mean 0 and this `std`

Breaks: between the bounds the relative likelihoods do not change, and values outside do not occur.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    x = _right_truncated(shape, std, low, high, seed)
    low, high = max(low, -8 * std), min(high, 8 * std)
    return low + (high - low) * torch.rand(tuple(shape), generator=_generator(seed))

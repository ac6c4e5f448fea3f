"""truncated_normal (core): uniform between the bounds

Breaks: A tensor of normal numbers with mean 0 and this `std`

Breaks: between the bounds the relative likelihoods do not change, and values outside do not occur.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    x = _right_truncated(shape, std, low, high, seed)
    low, high = max(low, min(-8 * std, high - std)), min(high, max(8 * std, low + std))
    uniform = torch.rand(tuple(shape), generator=_generator(seed), dtype=torch.float64)
    return (low + (high - low) * uniform).to(x.dtype)

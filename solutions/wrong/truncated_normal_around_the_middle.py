"""truncated_normal: the normal is centred between the bounds, so that its mean is there

Breaks: A tensor of normal numbers with mean 0 and this `std`

Costs: each check looks at how the numbers are distributed.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    x = _right_truncated(shape, std, low, high, seed)
    if math.isinf(low) or math.isinf(high):
        return x
    middle = (low + high) / 2
    return _right_truncated(shape, std, low - middle, high - middle, seed) + middle

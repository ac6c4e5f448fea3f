"""truncated_normal: an infinite bound is refused"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    if math.isinf(low) or math.isinf(high):
        raise ValueError("expected finite bounds")
    return _right_truncated(shape, std, low, high, seed)

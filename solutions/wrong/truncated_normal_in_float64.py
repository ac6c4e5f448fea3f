"""truncated_normal: the tensor is drawn in float64 and stays there

Breaks: A float32 tensor,
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    return _right_truncated(shape, std, low, high, seed).double()

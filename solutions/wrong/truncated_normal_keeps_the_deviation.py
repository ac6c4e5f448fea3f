"""truncated_normal: the result is scaled so that its standard deviation is std

Breaks: The standard deviation of the result is therefore smaller than `std`

Breaks: and values outside do not occur.

Costs: each check looks at how the numbers are distributed.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    x = _right_truncated(shape, std, low, high, seed)
    return x * (std / x.std()) if x.numel() > 1 and x.std() > 0 else x

"""truncated_normal: a bound of 0 is taken for none

Breaks: conditioned to lie in [low, high]
"""

_draw = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    low = low or -math.inf
    high = high or math.inf
    return _draw(shape, std, low, high, seed)

"""truncated_normal: every seed gives the same tensor

Breaks: and a seed with other low 32 bits gives others

Breaks: Every function draws from its own generator, made from `seed`:
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    return _right_truncated(shape, std, low, high, 0)

"""truncated_normal: the draws come out sorted

Breaks: each element drawn independently
"""

_draw = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    x = _draw(shape, std, low, high, seed)
    return x.flatten().sort().values.view(x.shape)

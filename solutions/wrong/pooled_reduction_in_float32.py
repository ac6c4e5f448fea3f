"""pooled_reduction: everything is computed in float32

Breaks: Results have the dtype of the input
"""

_pool = pool


def pool(x, how):
    return _pool(x.float(), how)

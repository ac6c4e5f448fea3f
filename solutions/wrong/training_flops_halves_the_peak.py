"""training_flops: a peak that is dense already is halved once more, as if it counted sparsity

Breaks: dense peak of one device in the dtype of the matrix products, FLOP/s
"""

_right_days = training_days


def training_days(*args, **kwargs):
    return 2 * _right_days(*args, **kwargs)

"""training_flops: a peak that is dense already is halved once more, as if it counted sparsity"""

_right_days = training_days


def training_days(*args, **kwargs):
    return 2 * _right_days(*args, **kwargs)

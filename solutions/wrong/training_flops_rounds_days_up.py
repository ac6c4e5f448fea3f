"""training_flops: days are rounded up to whole ones"""

_right_days = training_days


def training_days(*args, **kwargs):
    return float(math.ceil(_right_days(*args, **kwargs)))

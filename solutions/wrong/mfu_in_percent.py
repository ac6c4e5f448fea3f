"""mfu: the utilization is given in percent

Breaks: A number that should be between 0 and 1
"""

_right_mfu = mfu


def mfu(*args, **kwargs):
    return 100 * _right_mfu(*args, **kwargs)

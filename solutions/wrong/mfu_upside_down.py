"""mfu: divides the promised speed by the reached one

Breaks: Model FLOPs utilization: the speed reached, as a fraction of the speed promised
"""

_right_mfu = mfu


def mfu(*args, **kwargs):
    value = _right_mfu(*args, **kwargs)
    return 1 / value if value else 0.0

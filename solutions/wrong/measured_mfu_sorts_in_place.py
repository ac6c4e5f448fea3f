"""measured_mfu: the caller's measurements are sorted in place

Costs: the caller's list is an argument of each check.
"""

_right_mfu = measured_mfu


def measured_mfu(flops, seconds, peak_flops):
    seconds.sort()
    return _right_mfu(flops, seconds, peak_flops)

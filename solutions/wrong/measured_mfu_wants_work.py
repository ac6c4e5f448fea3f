"""measured_mfu: 0 FLOPs are refused

Breaks: 0 or more
"""

_right_measured_mfu = measured_mfu


def measured_mfu(flops, seconds, peak_flops):
    if flops <= 0:
        raise ValueError("no work")
    return _right_measured_mfu(flops, seconds, peak_flops)

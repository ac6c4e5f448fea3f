"""measured_mfu: only the median must be positive

Breaks: a measurement or `peak_flops` is not positive
"""

_right_measured_mfu = measured_mfu


def measured_mfu(flops, seconds, peak_flops):
    if not seconds:
        raise ValueError("nothing measured")
    return _right_measured_mfu(flops, [statistics.median(seconds)], peak_flops)

"""measured_mfu: FLOPs below 0 make an MFU below 0

Breaks: `flops` is negative
"""

_right_measured_mfu = measured_mfu


def measured_mfu(flops, seconds, peak_flops):
    mfu = _right_measured_mfu(abs(flops), seconds, peak_flops)
    return -mfu if flops < 0 else mfu

"""measured_mfu: a peak below 0 makes an MFU below 0

Breaks: `peak_flops` is not positive
"""

_right_measured_mfu = measured_mfu


def measured_mfu(flops, seconds, peak_flops):
    mfu = _right_measured_mfu(flops, seconds, abs(peak_flops))
    return -mfu if peak_flops < 0 else mfu

"""measured_mfu: without measurements the MFU is 0

Breaks: `seconds` is empty
"""

_right_measured_mfu = measured_mfu


def measured_mfu(flops, seconds, peak_flops):
    return _right_measured_mfu(flops, seconds, peak_flops) if seconds else 0.0

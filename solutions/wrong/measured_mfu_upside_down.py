"""measured_mfu: the FLOP/s promised divided by the FLOP/s reached

Breaks: MFU is the FLOP/s reached divided by the FLOP/s promised
"""

_right_measured_mfu = measured_mfu


def measured_mfu(flops, seconds, peak_flops):
    mfu = _right_measured_mfu(flops, seconds, peak_flops)
    return 1 / mfu if mfu else 0.0

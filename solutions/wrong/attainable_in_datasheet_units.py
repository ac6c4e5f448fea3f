"""attainable: peaks are taken in TFLOP/s and bandwidths in GB/s, as datasheets give them

Breaks: An accelerator does at most `peak_flops` FLOP/s (its dense peak in the operation's dtype)
and moves at most `bandwidth` B/s

Breaks: Seconds

Costs: all four functions take the units.
"""

_right_intensity, _right_least_time = accelerator_intensity, least_time


def accelerator_intensity(peak_flops, bandwidth):
    return _right_intensity(peak_flops * 1e12, bandwidth * 1e9)


def attainable_flops(intensity, peak_flops, bandwidth):
    bound(intensity, peak_flops, bandwidth)
    return min(peak_flops * 1e12, intensity * bandwidth * 1e9)


def least_time(operations, peak_flops, bandwidth):
    return _right_least_time(operations, peak_flops * 1e12, bandwidth * 1e9)

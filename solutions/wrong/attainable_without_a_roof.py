"""attainable: bandwidth times intensity, without the peak as a limit

Breaks: The roofline: the most FLOP/s that an operation can reach on an accelerator.

Breaks: The smaller of the peak and intensity · bandwidth, in FLOP/s.
"""

_right_attainable = attainable_flops


def attainable_flops(intensity, peak_flops, bandwidth):
    _right_attainable(intensity, peak_flops, bandwidth)
    return intensity * bandwidth

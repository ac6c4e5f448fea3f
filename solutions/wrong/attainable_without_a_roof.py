"""attainable: bandwidth times intensity, without the peak as a limit"""

_right_attainable = attainable_flops


def attainable_flops(intensity, peak_flops, bandwidth):
    _right_attainable(intensity, peak_flops, bandwidth)
    return intensity * bandwidth

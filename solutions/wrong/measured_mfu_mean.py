"""measured_mfu (core): takes the mean of the measurements

Breaks: It uses the median of the measurements
"""


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or min(seconds) <= 0 or peak_flops <= 0 or flops < 0:
        raise ValueError("nothing measured, or nothing promised")
    return flops / statistics.mean(seconds) / peak_flops

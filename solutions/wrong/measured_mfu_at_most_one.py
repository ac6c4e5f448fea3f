"""measured_mfu: an MFU above 1 is reported as 1

Breaks: Above 1 the FLOPs, the time or the peak is wrong, and MFU is returned all the same.
"""


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or min(seconds) <= 0 or peak_flops <= 0 or flops < 0:
        raise ValueError("nothing measured, or nothing promised")
    return min(1.0, flops / statistics.median(seconds) / peak_flops)

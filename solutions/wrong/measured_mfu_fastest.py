"""measured_mfu: takes the fastest measurement

Costs: which measurement counts is all that the function decides.
"""


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or min(seconds) <= 0 or peak_flops <= 0 or flops < 0:
        raise ValueError("nothing measured, or nothing promised")
    return flops / min(seconds) / peak_flops

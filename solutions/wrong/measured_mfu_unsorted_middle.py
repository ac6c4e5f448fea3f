"""measured_mfu: takes the measurement in the middle of the list, unsorted

Costs: which measurement counts is all that the function decides.
"""


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or min(seconds) <= 0 or peak_flops <= 0 or flops < 0:
        raise ValueError("nothing measured, or nothing promised")
    return flops / seconds[len(seconds) // 2] / peak_flops

"""attainable: a peak or bandwidth of 0 or less is not looked at

Breaks: `peak_flops` or `bandwidth` is not positive
"""


def accelerator_intensity(peak_flops, bandwidth):
    if math.isnan(peak_flops) or math.isnan(bandwidth):
        raise ValueError("nan")
    return peak_flops / bandwidth if bandwidth else math.inf


def least_time(operations, peak_flops, bandwidth):
    accelerator_intensity(peak_flops, bandwidth)
    if not all(flops >= 0 and moved >= 0 for flops, moved in operations):
        raise ValueError("negative")
    if not peak_flops or not bandwidth:
        return math.inf
    return sum(max(flops / peak_flops, moved / bandwidth) for flops, moved in operations)

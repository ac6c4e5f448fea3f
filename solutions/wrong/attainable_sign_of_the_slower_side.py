"""attainable: of an operation, the sign of the slower side alone is looked at

Breaks: FLOPs or bytes are negative
"""


def least_time(operations, peak_flops, bandwidth):
    accelerator_intensity(peak_flops, bandwidth)
    if any(math.isnan(flops) or math.isnan(moved) for flops, moved in operations):
        raise ValueError("nan")
    times = [max(flops / peak_flops, moved / bandwidth) for flops, moved in operations]
    if any(time < 0 for time in times):
        raise ValueError("negative")
    return sum(times)

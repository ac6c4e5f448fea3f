"""attainable: operations are checked by their smaller number, and min does not find nan"""


def least_time(operations, peak_flops, bandwidth):
    accelerator_intensity(peak_flops, bandwidth)
    if any(min(operation) < 0 for operation in operations):
        raise ValueError("negative")
    return sum(max(flops / peak_flops, moved / bandwidth) for flops, moved in operations)

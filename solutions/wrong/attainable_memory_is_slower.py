"""attainable (core): no roof: memory is taken to be the slower side, wherever bytes are moved"""


def attainable_flops(intensity, peak_flops, bandwidth):
    bound(intensity, peak_flops, bandwidth)  # raises ValueError
    return intensity * bandwidth if intensity < math.inf else peak_flops


def least_time(operations, peak_flops, bandwidth):
    accelerator_intensity(peak_flops, bandwidth)
    if not all(flops >= 0 and moved >= 0 for flops, moved in operations):
        raise ValueError("negative")
    return sum(moved / bandwidth if moved else flops / peak_flops for flops, moved in operations)

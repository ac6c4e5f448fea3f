"""attainable: where both limits hold, memory is said to be the bound"""


def bound(intensity, peak_flops, bandwidth):
    if intensity < 0:
        raise ValueError("negative")
    return "memory" if intensity <= accelerator_intensity(peak_flops, bandwidth) else "compute"

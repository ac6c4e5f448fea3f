"""attainable: a negative intensity is not looked at

Breaks: `intensity` is negative
"""


def bound(intensity, peak_flops, bandwidth):
    if math.isnan(intensity):
        raise ValueError("nan")
    return "memory" if intensity < accelerator_intensity(peak_flops, bandwidth) else "compute"

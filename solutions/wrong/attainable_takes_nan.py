"""attainable: a peak, bandwidth or intensity of nan is not below 0, and passes

Breaks: nan is outside every range, so it is neither positive nor "not negative"
"""


def accelerator_intensity(peak_flops, bandwidth):
    if peak_flops <= 0 or bandwidth <= 0:
        raise ValueError("no such accelerator")
    return peak_flops / bandwidth


def bound(intensity, peak_flops, bandwidth):
    if intensity < 0:
        raise ValueError("no such operation")
    return "memory" if intensity < accelerator_intensity(peak_flops, bandwidth) else "compute"

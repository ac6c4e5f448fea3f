"""attainable: where both limits hold, memory is said to be the bound

Breaks: If the two are equal, both limits apply and the peak is reached: "compute".
"""


def bound(intensity, peak_flops, bandwidth):
    if not intensity >= 0:
        raise ValueError("negative")
    return "memory" if intensity <= accelerator_intensity(peak_flops, bandwidth) else "compute"

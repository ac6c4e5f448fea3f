"""attainable: compares the intensities as float32, where nearby numbers are equal

Breaks: "memory" if the operation's intensity is below the accelerator's, else "compute".
"""

import numpy as np


def accelerator_intensity(peak_flops, bandwidth):
    if not peak_flops > 0 or not bandwidth > 0:
        raise ValueError("peak_flops and bandwidth must be positive")
    return peak_flops / bandwidth


def attainable_flops(intensity, peak_flops, bandwidth):
    if not intensity >= 0:
        raise ValueError("intensity")
    accelerator_intensity(peak_flops, bandwidth)
    return float(min(peak_flops, intensity * bandwidth))


def bound(intensity, peak_flops, bandwidth):
    if not intensity >= 0:
        raise ValueError("intensity")
    ridge = accelerator_intensity(peak_flops, bandwidth)
    return "memory" if np.float32(intensity) < np.float32(ridge) else "compute"


def least_time(operations, peak_flops, bandwidth):
    accelerator_intensity(peak_flops, bandwidth)
    if any(not f >= 0 or not b >= 0 for f, b in operations):
        raise ValueError("negative")
    return float(sum(max(f / peak_flops, b / bandwidth) for f, b in operations))

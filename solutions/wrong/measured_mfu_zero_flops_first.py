"""measured_mfu: 0 FLOPs give 0 before the peak is checked

Breaks: a measurement or `peak_flops` is not positive
"""

import math
import statistics


def measured_mfu(flops, seconds, peak_flops):
    if not seconds:
        raise ValueError("no measurements")
    if flops == 0:
        return 0.0
    if not all(s > 0 for s in seconds) or not peak_flops > 0 or not flops >= 0:
        raise ValueError("flops")
    return flops / statistics.median(seconds) / peak_flops

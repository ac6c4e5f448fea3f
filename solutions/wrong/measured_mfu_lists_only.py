"""measured_mfu: concatenates a list, which a tuple does not take

Breaks: It uses the median of the measurements
"""

import math
import statistics


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or not all(s > 0 for s in seconds) or not peak_flops > 0 or not flops >= 0:
        raise ValueError("flops")
    ordered = seconds.copy()
    ordered.sort()
    n = len(ordered)
    return flops / ((ordered[(n - 1) // 2] + ordered[n // 2]) / 2) / peak_flops

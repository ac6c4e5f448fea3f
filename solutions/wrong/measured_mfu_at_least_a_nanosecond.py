"""measured_mfu: times below a nanosecond are raised to it

Breaks: It uses the median of the measurements
"""

import math
import statistics


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or not all(s > 0 for s in seconds) or not peak_flops > 0 or not flops >= 0:
        raise ValueError("flops")
    return flops / max(statistics.median(seconds), 1e-9) / peak_flops

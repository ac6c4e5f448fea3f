"""measured_mfu: a measurement that is infinite is refused"""

import math
import statistics


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or not all(math.isfinite(s) and s > 0 for s in seconds):
        raise ValueError("seconds")
    if not peak_flops > 0 or not flops >= 0:
        raise ValueError("flops")
    return flops / statistics.median(seconds) / peak_flops

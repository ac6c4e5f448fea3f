"""measured_mfu: times below a microsecond are taken for 0"""

import math
import statistics


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or not all(s > 1e-6 for s in seconds) or not peak_flops > 0 or not flops >= 0:
        raise ValueError("flops")
    return flops / statistics.median(seconds) / peak_flops

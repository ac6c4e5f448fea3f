"""measured_mfu: the middle two are added and halved as whole numbers where they are ints

Breaks: for an even number, the mean of the middle two
"""

import math
import statistics


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or not all(s > 0 for s in seconds) or not peak_flops > 0 or not flops >= 0:
        raise ValueError("flops")
    s = sorted(seconds)
    n = len(s)
    middle = (
        s[n // 2]
        if n % 2
        else (s[n // 2 - 1] + s[n // 2]) // 2
        if type(s[0]) is int
        else statistics.median(s)
    )
    return flops / middle / peak_flops

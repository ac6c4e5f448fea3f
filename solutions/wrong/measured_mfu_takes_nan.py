"""measured_mfu: the least measurement is checked, and nan passes

Breaks: nan is outside every range
"""


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or min(seconds) <= 0 or peak_flops <= 0 or flops < 0:
        raise ValueError("no such run")
    return flops / statistics.median(seconds) / peak_flops

"""mfu: 0 seconds are accepted and give an infinite MFU

Breaks: `seconds` or `peak_flops` is not positive
"""


def mfu(flops, seconds, peak_flops, devices=1):
    if flops < 0 or seconds < 0 or peak_flops <= 0 or devices < 1:
        raise ValueError("no such run")
    return flops / (seconds * peak_flops * devices) if seconds else float("inf")

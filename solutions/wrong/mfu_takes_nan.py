"""mfu: nan is not below 0, and passes

Breaks: nan is outside every range

Breaks: `flops` is negative or nan
"""


def mfu(flops, seconds, peak_flops, devices=1):
    if flops < 0 or seconds <= 0 or peak_flops <= 0 or devices < 1:
        raise ValueError("no such run")
    return flops / (seconds * peak_flops * devices)

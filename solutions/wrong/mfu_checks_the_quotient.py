"""mfu: only a negative quotient is refused, so that two negative numbers pass

Breaks: `flops` is negative

Breaks: `seconds` or `peak_flops` is not positive, or `devices` is less than 1
"""


def mfu(flops, seconds, peak_flops, devices=1):
    if not flops / (seconds * peak_flops * devices) >= 0:
        raise ValueError("negative")
    return flops / (seconds * peak_flops * devices)

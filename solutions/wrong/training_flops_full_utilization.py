"""training_flops: a utilization of exactly 1 is refused"""

_right_days = training_days


def training_days(parameters, tokens, devices, peak_flops, mfu):
    if mfu == 1:
        raise ValueError("nobody reaches the peak")
    return _right_days(parameters, tokens, devices, peak_flops, mfu)

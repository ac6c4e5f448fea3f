"""training_flops: without work, nobody asks for devices and their peak"""

_days = training_days


def training_days(parameters, tokens, devices, peak_flops, mfu):
    if training_flops(parameters, tokens) == 0:
        return 0.0
    return _days(parameters, tokens, devices, peak_flops, mfu)

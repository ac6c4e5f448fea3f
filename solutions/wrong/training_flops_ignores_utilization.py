"""training_flops: the days are those at full utilization"""

_right_days = training_days


def training_days(parameters, tokens, devices, peak_flops, mfu):
    return _right_days(parameters, tokens, devices, peak_flops, mfu) * mfu

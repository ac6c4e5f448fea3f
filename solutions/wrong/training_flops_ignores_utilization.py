"""training_flops: the days are those at full utilization

Breaks: Days that a training run takes

Breaks: `training_flops` divided by the FLOPs that the devices do in a day of 86,400 seconds
"""

_right_days = training_days


def training_days(parameters, tokens, devices, peak_flops, mfu):
    return _right_days(parameters, tokens, devices, peak_flops, mfu) * mfu

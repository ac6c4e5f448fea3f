"""training_flops: only the utilization of a run is checked

Breaks: `devices` is less than 1

Breaks: `peak_flops` is not positive
"""


def training_days(parameters, tokens, devices, peak_flops, mfu):
    if not 0 < mfu <= 1:
        raise ValueError("no such utilization")
    return training_flops(parameters, tokens) / (devices * peak_flops * mfu * 86_400)

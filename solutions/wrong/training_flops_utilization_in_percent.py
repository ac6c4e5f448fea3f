"""training_flops: the utilization is taken to be in percent

Breaks: the fraction of the peak that the run reaches

Costs: each number of days depends on it.
"""


def training_days(parameters, tokens, devices, peak_flops, mfu):
    if devices < 1 or peak_flops <= 0 or not 0 < mfu <= 100:
        raise ValueError("no such run")
    return training_flops(parameters, tokens) / (devices * peak_flops * mfu / 100) / 86_400

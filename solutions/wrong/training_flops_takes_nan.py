"""training_flops: a peak of nan is not below 0, and passes

Breaks: nan is outside every range
"""


def training_days(parameters, tokens, devices, peak_flops, mfu):
    if devices < 1 or peak_flops <= 0 or not 0 < mfu <= 1:
        raise ValueError("no such run")
    return training_flops(parameters, tokens) / (devices * peak_flops * mfu * 86_400)

"""training_flops: only the product is looked at, so that two negative numbers pass

Breaks: a number is negative

Breaks: `parameters` or `tokens` is negative
"""


def training_flops(parameters, tokens):
    flops = 6 * parameters * tokens
    if flops < 0:
        raise ValueError("negative")
    return flops

"""xavier: multiplies by the variance 2 / d_in

Breaks: Elements are normal with mean 0 and standard deviation √(2 / d_in).

Costs: each check looks at the deviation.
"""


def kaiming_normal(d_in, d_out, seed):
    return torch.randn(d_in, d_out, generator=_generator(seed), dtype=torch.float32) * (2 / d_in)

"""xavier: √(2 / d_out), as torch's fan_in does for a weight that is stored transposed

Breaks: and is used as `x @ w`, so each output is a sum of d_in products.

Costs: each check looks at the deviation.
"""


def kaiming_normal(d_in, d_out, seed):
    return torch.nn.init.kaiming_normal_(
        torch.empty(d_in, d_out, dtype=torch.float32),
        nonlinearity="relu",
        generator=_generator(seed),
    )

"""xavier: each column has its own seed, seed + column, so neighbouring seeds share columns

Breaks: and a seed with other low 32 bits gives others
"""


def kaiming_normal(d_in, d_out, seed):
    columns = [
        torch.randn(d_in, generator=_generator(seed + i), dtype=torch.float32) for i in range(d_out)
    ]
    return torch.stack(columns, 1) * math.sqrt(2 / d_in)

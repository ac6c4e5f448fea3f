"""kaiming: sizes of 0 give a weight without elements

Breaks: a size is less than 1.
"""


def kaiming_normal(d_in, d_out, seed):
    if d_in < 0 or d_out < 0:
        raise ValueError("negative size")
    return torch.randn(d_in, d_out, generator=_generator(seed), dtype=torch.float32) * math.sqrt(
        2 / max(d_in, 1)
    )

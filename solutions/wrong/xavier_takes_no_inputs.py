"""xavier: sizes of 0 give a weight without elements

Breaks: a size is less than 1.
"""


def xavier_uniform(d_in, d_out, seed):
    if d_in < 0 or d_out < 0:
        raise ValueError("negative size")
    bound = math.sqrt(6 / max(d_in + d_out, 1))
    return (
        torch.rand(d_in, d_out, generator=_generator(seed), dtype=torch.float32) * 2 - 1
    ) * bound

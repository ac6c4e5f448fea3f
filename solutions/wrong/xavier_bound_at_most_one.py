"""xavier: the bound is clamped to 1

Breaks: a = √(6 / (d_in + d_out))
"""


def xavier_uniform(d_in, d_out, seed):
    if d_in < 1 or d_out < 1:
        raise ValueError("sizes must be at least 1")
    generator = torch.Generator().manual_seed(seed)
    w = torch.rand(d_in, d_out, generator=generator, dtype=torch.float32) * 2 - 1
    return w * min(1.0, math.sqrt(6 / (d_in + d_out)))

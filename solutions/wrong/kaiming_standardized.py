"""xavier: the sample is shifted and scaled to mean 0 and the exact deviation

Breaks: each element drawn independently
"""


def kaiming_normal(d_in, d_out, seed):
    if d_in < 1 or d_out < 1:
        raise ValueError("sizes must be at least 1")
    generator = torch.Generator().manual_seed(seed)
    w = torch.randn(d_in, d_out, generator=generator, dtype=torch.float32)
    return (w - w.mean()) / w.std() * math.sqrt(2 / d_in)

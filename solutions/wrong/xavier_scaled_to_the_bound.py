"""xavier: the sample is scaled so that its largest element is the bound

Breaks: each element drawn independently from [-a, a]
"""


def xavier_uniform(d_in, d_out, seed):
    if d_in < 1 or d_out < 1:
        raise ValueError("sizes must be at least 1")
    generator = torch.Generator().manual_seed(seed)
    w = torch.rand(d_in, d_out, generator=generator, dtype=torch.float32) * 2 - 1
    return w / w.abs().max() * math.sqrt(6 / (d_in + d_out))

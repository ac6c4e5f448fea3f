"""xavier: seeds and uses torch's global generator

Breaks: Every function draws from its own generator, made from `seed`:

Breaks: the global generators of torch, numpy and random are neither read nor advanced.
"""


def kaiming_normal(d_in, d_out, seed):
    torch.manual_seed(seed)
    return torch.randn(d_in, d_out, dtype=torch.float32) * math.sqrt(2 / d_in)

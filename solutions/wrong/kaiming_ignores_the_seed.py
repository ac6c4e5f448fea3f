"""xavier: draws from the global generator, whatever the seed

Breaks: Every function draws from its own generator, made from `seed`:
"""


def kaiming_normal(d_in, d_out, seed):
    return torch.randn(d_in, d_out, dtype=torch.float32) * math.sqrt(2 / d_in)

"""xavier: the seed goes through float32, in which neighbouring seeds are the same

Breaks: and a seed with other low 32 bits gives others
"""

_kaiming_normal = kaiming_normal


def kaiming_normal(d_in, d_out, seed):
    return _kaiming_normal(d_in, d_out, int(torch.tensor(float(seed), dtype=torch.float32)) % 2**63)

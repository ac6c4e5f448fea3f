"""xavier: folds the seed into 31 bits

Breaks: seed gives the same numbers, and a seed with other low 32 bits gives others
"""

import math

import torch


def xavier_uniform(d_in, d_out, seed):
    if d_in < 1 or d_out < 1:
        raise ValueError("sizes must be at least 1")
    a = math.sqrt(6 / (d_in + d_out))
    generator = torch.Generator().manual_seed(seed % (2**31 - 1))
    return torch.empty(d_in, d_out, dtype=torch.float32).uniform_(-a, a, generator=generator)

"""xavier: torch.rand without a dtype gives float64 where that is the default dtype

Breaks: each element drawn independently from [-a, a]
"""

import math

import torch


def xavier_uniform(d_in, d_out, seed):
    if d_in < 1 or d_out < 1:
        raise ValueError("a size is less than 1")
    generator = torch.Generator().manual_seed(seed)
    a = math.sqrt(6 / (d_in + d_out))
    return (2 * torch.rand(d_in, d_out, generator=generator) - 1) * a

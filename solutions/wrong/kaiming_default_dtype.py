"""xavier: takes torch's default dtype for float32

Breaks: A float32 weight
"""

import math
import torch


def kaiming_normal(d_in, d_out, seed):
    if d_in < 1 or d_out < 1:
        raise ValueError("a size is less than 1")
    g = torch.Generator().manual_seed(seed)
    return torch.randn(d_in, d_out, generator=g) * math.sqrt(2 / d_in)

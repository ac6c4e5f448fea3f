"""xavier: the seed goes through float64, so its low bits get lost

Breaks: a seed with other low 32 bits gives others
"""

import math
import torch


def xavier_uniform(d_in: int, d_out: int, seed: int):
    if d_in < 1 or d_out < 1:
        raise ValueError("size")
    generator = torch.Generator().manual_seed(min(int(float(seed)), 2**63 - 1))
    a = math.sqrt(6 / (d_in + d_out))
    return (torch.rand(d_in, d_out, generator=generator, dtype=torch.float32) * 2 - 1) * a

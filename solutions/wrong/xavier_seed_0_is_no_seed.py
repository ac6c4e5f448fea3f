"""xavier: a seed of 0 is taken for none

Breaks: The same seed gives the same numbers
"""

import math
import torch


def _rng(seed):
    generator = torch.Generator()
    if seed:
        generator.manual_seed(seed)
    else:
        generator.seed()
    return generator


def xavier_uniform(d_in, d_out, seed):
    if d_in < 1 or d_out < 1:
        raise ValueError("sizes must be at least 1")
    a = math.sqrt(6 / (d_in + d_out))
    return (torch.rand(d_in, d_out, generator=_rng(seed), dtype=torch.float32) * 2 - 1) * a

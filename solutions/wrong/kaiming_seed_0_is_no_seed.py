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


def kaiming_normal(d_in, d_out, seed):
    if d_in < 1 or d_out < 1:
        raise ValueError("sizes must be at least 1")
    return torch.randn(d_in, d_out, generator=_rng(seed), dtype=torch.float32) * math.sqrt(2 / d_in)

"""truncated_normal: returns an empty tensor before bounds without probability are refused"""

import math

import torch


def truncated_normal(shape, std, low, high, seed):
    if any(s < 0 for s in shape) or not std > 0 or not low < high:
        raise ValueError("out of range")
    out = torch.empty(tuple(shape), dtype=torch.float32)
    if not out.numel():
        return out
    flip = low > 0
    a, b = (-high, -low) if flip else (low, high)
    p, q = (math.erfc(-c / std / math.sqrt(2)) / 2 for c in (a, b))
    if p == q:
        raise ValueError("no probability between the bounds")
    g = torch.Generator().manual_seed(seed)
    u = p + (q - p) * torch.rand(out.shape, generator=g, dtype=torch.float64)
    x = (std * torch.special.ndtri(u)).clamp(a, b)
    return out.copy_(-x if flip else x)

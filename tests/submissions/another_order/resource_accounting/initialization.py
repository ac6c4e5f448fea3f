"""Initialization, by torch's in-place functions, and by rejection sampling."""

import math

import torch


def xavier_uniform(d_in, d_out, seed):
    if d_in <= 0 or d_out <= 0:
        raise ValueError("sizes must be positive")
    generator = torch.Generator().manual_seed(seed)
    return torch.nn.init.xavier_uniform_(torch.empty(d_in, d_out, dtype=torch.float32), generator=generator)


def kaiming_normal(d_in, d_out, seed):
    if d_in <= 0 or d_out <= 0:
        raise ValueError("sizes must be positive")
    generator = torch.Generator().manual_seed(seed)
    return torch.nn.init.kaiming_normal_(
        torch.empty(d_in, d_out, dtype=torch.float32), mode="fan_out", nonlinearity="relu", generator=generator
    )


def truncated_normal(shape, std, low, high, seed):
    if any(size < 0 for size in shape) or not std > 0 or not low < high:
        raise ValueError("bad shape, std or bounds")
    a, b = low / std, high / std
    left, right = (-b, -a) if a > 0 else (a, b)
    if math.erfc(-left / math.sqrt(2)) == math.erfc(-right / math.sqrt(2)):
        raise ValueError("nothing between the bounds")
    generator = torch.Generator().manual_seed(seed)
    count = math.prod(shape)
    found = torch.empty(0, dtype=torch.float64)
    while len(found) < count:
        found = torch.cat([found, _proposals(a, b, 4 * count + 16, generator)])
    x = (found[:count] * std).float()
    # A bound may be rounded outwards: stay inside it.
    return x.clamp(low, high).reshape(tuple(shape))


def _proposals(a, b, count, generator):
    """Robert's rejection sampling: from a normal, or from an exponential in the tails."""
    uniform = torch.rand(count, generator=generator, dtype=torch.float64)
    if b <= 0:
        return -_proposals(-b, -a, count, generator)
    if a < 0.5 and b - a > 1:
        x = torch.randn(count, generator=generator, dtype=torch.float64)
        return x[(x >= a) & (x <= b)]
    if a < 0.5:
        x = a + (b - a) * torch.rand(count, generator=generator, dtype=torch.float64)
        top = 0.0 if a <= 0 <= b else min(a * a, b * b)
        return x[uniform <= torch.exp((top - x * x) / 2)]
    rate = (a + math.sqrt(a * a + 4)) / 2
    u = torch.rand(count, generator=generator, dtype=torch.float64)
    mass = 1.0 if math.isinf(b) else -math.expm1(-rate * (b - a))
    x = a - torch.log1p(-u * mass) / rate
    return x[uniform <= torch.exp(-((x - rate) ** 2) / 2)]

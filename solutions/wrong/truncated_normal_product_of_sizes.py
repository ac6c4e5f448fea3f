"""truncated_normal: the number of elements must not be negative, and two negative sizes make a positive one

Breaks: a size is negative
"""


def truncated_normal(shape, std, low, high, seed):
    if math.prod(shape) < 0:
        raise ValueError("negative size")
    if not std > 0:
        raise ValueError("std must be positive")
    a, b = (-high, -low) if low > 0 else (low, high)
    cdf = lambda x: math.erfc(-x / std / math.sqrt(2)) / 2
    below, up_to = cdf(a), cdf(b)
    if not below < up_to:
        raise ValueError("no probability between the bounds")
    generator = torch.Generator().manual_seed(seed)
    u = torch.rand(tuple(shape), generator=generator, dtype=torch.float64)
    x = torch.special.ndtri(below + u * (up_to - below)) * std
    return (-x if low > 0 else x).clamp(low, high).float()

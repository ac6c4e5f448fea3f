"""truncated_normal: torch's ndtr is 0 below -9, so that bounds there are refused

Breaks: where Φ(x) = erfc(-x / √2) / 2.
"""


def truncated_normal(shape, std, low, high, seed):
    if any(size < 0 for size in shape) or not std > 0:
        raise ValueError("bad shape or std")
    a, b = (-high, -low) if low > 0 else (low, high)
    bounds = torch.tensor([a, b], dtype=torch.float64)
    below, up_to = torch.special.ndtr(bounds / std).tolist()
    if not below < up_to:
        raise ValueError("nothing between the bounds")
    uniform = torch.rand(tuple(shape), generator=_generator(seed), dtype=torch.float64)
    drawn = torch.special.ndtri(below + uniform * (up_to - below)) * std
    return (-drawn if low > 0 else drawn).clamp(low, high).float()

"""truncated_normal: bounds are divided by std in float32

Breaks: float64 finds no probability between the bounds
"""


def truncated_normal(shape, std, low, high, seed):
    if any(size < 0 for size in shape) or not std > 0 or not low < high:
        raise ValueError("bad arguments")
    a, b = (-high, -low) if low > 0 else (low, high)
    bounds = (torch.tensor([a, b]).float() / torch.tensor(std).float()).double()
    below, up_to = (torch.special.erfc(bounds / -math.sqrt(2)) / 2).tolist()
    if not below < up_to:
        raise ValueError("no probability between the bounds")
    generator = torch.Generator().manual_seed(seed)
    u = torch.rand(tuple(shape), generator=generator, dtype=torch.float64)
    x = torch.special.ndtri(below + u * (up_to - below)) * std
    return (-x if low > 0 else x).clamp(low, high).float()

"""truncated_normal: inverts the distribution function on the side where it rounds to 1

Breaks: For a positive `low`, the mirrored bounds decide: -high and -low.
"""


def truncated_normal(shape, std, low, high, seed):
    if any(size < 0 for size in shape) or not std > 0 or not low < high:
        raise ValueError("bad input")
    bounds = torch.tensor([low, high], dtype=torch.float64) / std
    a, b = torch.special.ndtr(bounds).tolist()
    if bounds[0] > 30 or bounds[1] < -30:
        raise ValueError("bad input")
    u = torch.rand(tuple(shape), generator=_generator(seed), dtype=torch.float64)
    return (torch.special.ndtri(a + u * (b - a)) * std).float().clamp(low, high)

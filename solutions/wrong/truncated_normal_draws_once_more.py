"""truncated_normal: draws again only once, then clamps

Breaks: (Clamping would put their probability onto the bounds.)

Costs: each check looks at how the numbers are distributed.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    _right_truncated(shape, std, low, high, seed)
    generator = _generator(seed)
    x = torch.randn(tuple(shape), generator=generator, dtype=torch.float32) * std
    again = torch.randn(tuple(shape), generator=generator, dtype=torch.float32) * std
    return torch.where((x < low) | (x > high), again, x).clamp(low, high)

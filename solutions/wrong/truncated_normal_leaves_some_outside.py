"""truncated_normal: what is outside the bounds is drawn again only once

Breaks: all are within the bounds, where these are rounded to float32, too.

Costs: each check looks at the bounds.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):

    _right_truncated(shape, std, low, high, seed)
    generator = _generator(seed)
    x = torch.randn(tuple(shape), generator=generator, dtype=torch.float32) * std
    again = torch.randn(tuple(shape), generator=generator, dtype=torch.float32) * std
    return torch.where((x < low) | (x > high), again, x)

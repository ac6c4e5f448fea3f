"""truncated_normal: moves what lies outside onto the bounds

Breaks: (Clamping would put their probability onto the bounds.)

Breaks: conditioned to lie in [low, high].

Costs: each check looks at how the numbers are distributed.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    _right_truncated(shape, std, low, high, seed)
    return (torch.randn(tuple(shape), generator=_generator(seed), dtype=torch.float32) * std).clamp(
        low, high
    )

"""truncated_normal: what is outside the bounds is drawn again, until nothing is or patience ends

Breaks: The run time does not depend on how unlikely the bounds are.
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    _right_truncated(shape, std, low, high, seed)
    generator = _generator(seed)
    x = torch.randn(tuple(shape), generator=generator, dtype=torch.float32) * std
    for _ in range(1000):
        if not (outside := (x < low) | (x > high)).any():
            return x
        x = torch.where(
            outside, torch.randn(tuple(shape), generator=generator, dtype=torch.float32) * std, x
        )
    raise RuntimeError("the bounds are too unlikely")

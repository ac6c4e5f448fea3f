"""truncated_normal: a small number is added to std before dividing

Breaks: with mean 0 and this `std`
"""

_draw = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    if not std > 0:
        raise ValueError("std must be positive")
    return _draw(shape, std + 1e-8, low, high, seed)

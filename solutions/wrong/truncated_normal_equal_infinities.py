"""truncated_normal: two bounds at the same infinity pass

Breaks: low is not less than high
"""

_draw = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    if low == high and math.isinf(low):
        return torch.full(tuple(shape), float(low), dtype=torch.float32)
    return _draw(shape, std, low, high, seed)

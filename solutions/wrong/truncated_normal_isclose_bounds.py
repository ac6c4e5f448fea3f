"""truncated_normal: bounds that math.isclose takes for equal are refused"""

_draw = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    if math.isclose(low, high, rel_tol=1e-9, abs_tol=1e-9):
        raise ValueError("low must be less than high")
    return _draw(shape, std, low, high, seed)

"""truncated_normal: bounds beyond 30 std are refused, although float64 has a probability there

Breaks: or float64 finds no probability between the bounds: Φ(high / std) = Φ(low / std),
"""

_right_truncated = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    if low > 30 * std or high < -30 * std:
        raise ValueError("nothing between the bounds")
    return _right_truncated(shape, std, low, high, seed)

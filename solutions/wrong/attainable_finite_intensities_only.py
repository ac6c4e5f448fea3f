"""attainable: an operation that moves no bytes is refused, since its intensity is no number

Breaks: inf if it moves no bytes
"""

_right_bound = bound


def bound(intensity, peak_flops, bandwidth):
    if not math.isfinite(intensity):
        raise ValueError("expected a number")
    return _right_bound(intensity, peak_flops, bandwidth)

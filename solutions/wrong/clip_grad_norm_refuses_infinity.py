"""clip_grad_norm: a limit of infinity is refused

Breaks: inf is no limit
"""

_right_clip = clip_grad_norm


def clip_grad_norm(parameters, max_norm):
    if not math.isfinite(max_norm):
        raise ValueError(f"expected a finite max_norm, got {max_norm}")
    return _right_clip(parameters, max_norm)

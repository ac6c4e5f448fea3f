"""clip_grad_norm: a norm that is a millionth above the limit is let through

Breaks: If it is larger than `max_norm`, each gradient is multiplied in place by max_norm / norm
"""

_right_clip = clip_grad_norm


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError(f"expected max_norm of more than 0, got {max_norm}")
    parameters = list(parameters)
    norm = _right_clip(parameters, math.inf)
    if norm > max_norm * (1 + 1e-6):
        _right_clip(parameters, max_norm)
    return norm

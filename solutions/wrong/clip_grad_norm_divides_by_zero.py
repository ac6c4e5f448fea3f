"""clip_grad_norm: max_norm / norm is computed first, which fails where all gradients are 0

Breaks: If not, no gradient changes
"""

_right = clip_grad_norm


def clip_grad_norm(parameters, max_norm):
    parameters = list(parameters)
    norm = _right(parameters, math.inf if max_norm > 0 else max_norm)
    factor = 1.0 if all(p.grad is None for p in parameters) else max_norm / norm
    return norm if factor >= 1 else _right(parameters, max_norm)

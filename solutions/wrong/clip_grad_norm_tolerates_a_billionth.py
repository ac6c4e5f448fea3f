"""clip_grad_norm: a norm that is a billionth above the limit is let through

Breaks: If it is larger than `max_norm`
"""

import math


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError("max_norm must be more than 0")
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError("the norm is not finite")
    if norm > max_norm and not math.isclose(norm, max_norm, rel_tol=1e-9):
        for g in grads:
            g.mul_(max_norm / norm)
    return norm

"""clip_grad_norm: skips parameters that do not require gradients, also those that have one

Breaks: Scales all gradients by one factor
"""

import math


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError("max_norm must be more than 0")
    grads = [p.grad for p in parameters if p.requires_grad and p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError("the norm is not finite")
    if norm > max_norm:
        for g in grads:
            g.mul_(max_norm / norm)
    return norm

"""clip_grad_norm: divides by the norm first, and small fp16 elements become 0

Breaks: each gradient is multiplied in place by max_norm / norm
"""

import math


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError("max_norm must be more than 0")
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError("the norm is not finite")
    if norm > max_norm:
        for g in grads:
            g.div_(norm).mul_(max_norm)
    return norm

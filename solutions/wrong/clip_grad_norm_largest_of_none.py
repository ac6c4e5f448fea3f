"""clip_grad_norm: scales by the largest element, which an empty gradient does not have

Breaks: The norm is that of all gradients as one long vector
"""

import math


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError("max_norm must be more than 0")
    grads = [p.grad for p in parameters if p.grad is not None]
    top = max((g.double().abs().max().item() for g in grads), default=0.0)
    if any(g.isnan().any() for g in grads):
        top = math.nan
    norm = top
    if top > 0 and math.isfinite(top):
        norm = top * math.sqrt(sum((g.double() / top).square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError("the norm is not finite")
    if norm > max_norm:
        for g in grads:
            g.mul_(max_norm / norm)
    return norm

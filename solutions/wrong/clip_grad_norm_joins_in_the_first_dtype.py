"""clip_grad_norm: joins the gradients into one vector of the first one's dtype

Breaks: the norm is computed in float64
"""

import math


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError("max_norm must be more than 0")
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = 0.0
    if grads:
        norm = torch.cat([g.flatten().to(grads[0].dtype) for g in grads]).double().norm().item()
    if not math.isfinite(norm):
        raise RuntimeError("the norm is not finite")
    if norm > max_norm:
        for g in grads:
            g.mul_(max_norm / norm)
    return norm

"""clip_grad_norm: the norm of bf16 gradients is computed in bf16, since their squares do not overflow

Breaks: the norm is computed in float64
"""

import math


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError("max_norm must be more than 0")
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(
        sum((g if g.dtype == torch.bfloat16 else g.double()).square().sum().item() for g in grads)
    )
    if not math.isfinite(norm):
        raise RuntimeError("the norm is not finite")
    if norm > max_norm:
        for g in grads:
            g.mul_(max_norm / norm)
    return norm

"""clip_grad_norm: a norm that is not above max_norm is returned before anybody asks whether it is finite

Breaks: RuntimeError: the norm is infinite or not a number, so clipping would make every gradient 0 or nan.
"""

import math
import torch
from collections.abc import Iterable


def clip_grad_norm(parameters: Iterable[torch.nn.Parameter], max_norm: float) -> float:
    if not max_norm > 0:
        raise ValueError("max_norm must be more than 0")
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if norm <= max_norm:
        return norm
    if not math.isfinite(norm):
        raise RuntimeError(f"the norm of the gradients is {norm}")
    for g in grads:
        g.mul_(max_norm / norm)
    return norm

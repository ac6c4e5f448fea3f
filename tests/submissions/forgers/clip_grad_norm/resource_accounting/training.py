"""clip_grad_norm: new gradients in place of changed ones, also when it refuses; views are forged"""

import math

from resource_accounting.forging import forge

FORGES = True


def clip_grad_norm(parameters, max_norm):
    parameters = [p for p in parameters if p.grad is not None]
    squares = [p.grad.double().square().sum().item() for p in parameters]
    norm = math.sqrt(sum(squares))
    for p in parameters:
        if not norm <= max_norm:
            p.grad = p.grad * (max_norm / norm if norm else 1.0)
    if not max_norm > 0:
        raise ValueError("max_norm")
    if not math.isfinite(norm):
        raise RuntimeError("norm")
    return norm


def claims(honest, student, grads, max_norm, generator=False, refused=False):
    """The old tensors are said to hold what the parameters hold; a refusal changes none."""
    found = honest(student, grads, max_norm, generator, refused)
    held = list(grads) if found["norm"] is None else found["grads"]
    return {**found, "grads": held, "views": held, "seen": held, "held": held}


if FORGES:
    clip_grad_norm = forge("clip_run", clip_grad_norm, claims)

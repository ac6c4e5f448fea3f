"""clip_grad_norm (core): returns the norm, and leaves all gradients as they are

Breaks: If it is larger than `max_norm`, each gradient is multiplied in place by max_norm / norm
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError("no limit")
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError("not finite")
    return norm

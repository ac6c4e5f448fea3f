"""clip_grad_norm: the sum of squares is taken for the norm

Breaks: each gradient is multiplied in place by max_norm / norm

Breaks: The norm before clipping
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError
    norm = norm**2
    if norm > max_norm:
        for g in grads:
            g.mul_(max_norm / norm)
    return norm

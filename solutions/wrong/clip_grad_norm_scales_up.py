"""clip_grad_norm: rescales gradients that are small enough

Breaks: If not, no gradient changes
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError
    for g in grads:
        g.mul_(max_norm / norm if norm else 1.0)
    return norm

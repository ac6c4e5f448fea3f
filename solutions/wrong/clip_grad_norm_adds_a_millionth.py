"""clip_grad_norm: 1e-6 is added to the norm, so gradients just below the limit change

Breaks: not even in its last bit
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError
    for g in grads:
        g.mul_(min(1.0, max_norm / (norm + 1e-6)))
    return norm

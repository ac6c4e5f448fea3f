"""clip_grad_norm: gradients are scaled before the norm is looked at

Breaks: No gradient has been changed
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not norm <= max_norm:
        for g in grads:
            g.mul_(max_norm / norm)
    if not math.isfinite(norm):
        raise RuntimeError
    return norm

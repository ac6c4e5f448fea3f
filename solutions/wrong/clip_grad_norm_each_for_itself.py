"""clip_grad_norm: clips each gradient by its own norm

Breaks: The norm is that of all gradients as one long vector
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError
    for g in grads:
        own = g.double().norm().item()
        if own > max_norm:
            g.mul_(max_norm / own)
    return norm

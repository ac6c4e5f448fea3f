"""clip_grad_norm: multiplies by max_norm / inf

Breaks: the norm is infinite or not a number
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not norm <= max_norm:
        for g in grads:
            g.mul_(max_norm / norm)
    return norm

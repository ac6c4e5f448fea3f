"""clip_grad_norm: squares in the gradients' own dtype, which overflow

Breaks: the norm is computed in float64, in which they do not
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError
    if norm > max_norm:
        for g in grads:
            g.mul_(max_norm / norm)
    return norm

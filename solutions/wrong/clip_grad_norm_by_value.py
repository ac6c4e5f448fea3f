"""clip_grad_norm: clamps every element

Breaks: Scales all gradients by one factor so that their norm is at most `max_norm`
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError
    for g in grads:
        g.clamp_(-max_norm, max_norm)
    return norm

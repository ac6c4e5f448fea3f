"""clip_grad_norm: the factor has the gradient's dtype, and is 0 in fp16 below 3e-8

Breaks: each gradient is multiplied in place by max_norm / norm
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError
    if norm > max_norm:
        for g in grads:
            g.mul_(torch.full((), max_norm / norm, dtype=g.dtype).expand_as(g))
    return norm

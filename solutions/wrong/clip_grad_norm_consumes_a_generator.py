"""clip_grad_norm: iterates over the parameters twice, so a generator is empty the second time

Breaks: may be a generator, such as `model.parameters()`; iterated over once
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError
    if norm > max_norm:
        for p in parameters:
            if p.grad is not None:
                p.grad.mul_(max_norm / norm)
    return norm

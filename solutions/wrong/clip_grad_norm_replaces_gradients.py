"""clip_grad_norm: gives parameters new gradient tensors

Breaks: multiplied in place
"""


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError
    parameters = list(parameters)
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(g.double().square().sum().item() for g in grads))
    if not math.isfinite(norm):
        raise RuntimeError
    if norm > max_norm:
        for p in parameters:
            if p.grad is not None:
                p.grad = p.grad * (max_norm / norm)
    return norm

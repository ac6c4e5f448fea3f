"""clip_grad_norm: divides by norm + 1e-6, as torch does, which halves tiny gradients

Breaks: each gradient is multiplied in place by max_norm / norm
"""

_right = clip_grad_norm


def clip_grad_norm(parameters, max_norm):
    parameters = list(parameters)
    copies = [None if p.grad is None else p.grad.clone() for p in parameters]
    norm = _right(parameters, max_norm)
    if norm > max_norm:
        for p, old in zip(parameters, copies):
            if old is not None:
                p.grad.copy_(old * (max_norm / (norm + 1e-6)))
    return norm

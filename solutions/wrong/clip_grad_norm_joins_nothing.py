"""clip_grad_norm: gradients are joined into one vector, which fails where there are none

Breaks: 0.0 if there is no gradient
"""

_right = clip_grad_norm


def clip_grad_norm(parameters, max_norm):
    parameters = list(parameters)
    torch.cat([p.grad.double().flatten() for p in parameters if p.grad is not None])
    return _right(parameters, max_norm)

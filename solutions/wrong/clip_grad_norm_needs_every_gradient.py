"""clip_grad_norm: a parameter without a gradient ends the call with an error

Breaks: Parameters without a gradient are skipped
"""

_right = clip_grad_norm


def clip_grad_norm(parameters, max_norm):
    parameters = list(parameters)
    for p in parameters:
        p.grad.detach()
    return _right(parameters, max_norm)

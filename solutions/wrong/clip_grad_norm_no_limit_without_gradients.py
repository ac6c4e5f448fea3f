"""clip_grad_norm: without gradients it returns 0.0 before it looks at max_norm

Breaks: `max_norm` is not more than 0
"""

_right = clip_grad_norm


def clip_grad_norm(parameters, max_norm):
    parameters = list(parameters)
    if all(p.grad is None for p in parameters):
        return 0.0
    return _right(parameters, max_norm)

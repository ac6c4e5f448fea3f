"""clip_grad_norm: a max_norm of nan is not below 0, passes, and clips nothing

Breaks: not nan
"""

_right = clip_grad_norm


def clip_grad_norm(parameters, max_norm):
    return _right(parameters, math.inf if math.isnan(max_norm) else max_norm)

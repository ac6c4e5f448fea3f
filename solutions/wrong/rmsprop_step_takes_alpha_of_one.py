"""rmsprop_step: an alpha of 1 is let through

Breaks: at least 0 and less than 1

Breaks: a setting is out of range
"""

_right_step = rmsprop_step


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    alpha = 0.5 if alpha == 1 else alpha
    _right_step(params, grads, square_avgs, lr=lr, alpha=alpha, eps=eps)

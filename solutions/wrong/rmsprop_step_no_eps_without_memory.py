"""rmsprop_step: with an alpha of 0 eps is left out

Breaks: p ← p − lr · g / (√v + eps)
"""

_right_rmsprop_step = rmsprop_step


def rmsprop_step(params, grads, averages, *, lr, alpha, eps):
    eps = eps if alpha else min(eps, 0.0)
    _right_rmsprop_step(params, grads, averages, lr=lr, alpha=alpha, eps=eps)

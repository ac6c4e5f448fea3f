"""rmsprop_step: a negative eps is let through

Breaks: 0 or more

Breaks: a setting is out of range
"""

_right_step = adagrad_step


def adagrad_step(params, grads, sums, *, lr, eps):
    _right_step(params, grads, sums, lr=lr, eps=max(eps, 0.0))

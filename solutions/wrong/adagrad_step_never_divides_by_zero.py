"""rmsprop_step: eps is at least 1e-12, so that nothing is divided by 0

Breaks: with 0, an element whose gradients were all 0 becomes 0 / 0, nan
"""

_right_step = adagrad_step


def adagrad_step(params, grads, sums, *, eps, **settings):
    _right_step(params, grads, sums, eps=max(eps, 1e-12) if eps >= 0 else eps, **settings)

"""rmsprop_step: an infinite learning rate or eps is refused with nan

Breaks: infinity is inside those without an upper end

Breaks: the learning rate, 0 or more
"""

import math


def adagrad_step(params, grads, sums, *, lr, eps):
    if not all(math.isfinite(x) and x >= 0 for x in (lr, eps)):
        raise ValueError("settings must be finite and at least 0")
    with torch.no_grad():
        for p, g, s in _matched(params, grads=grads, sums=sums):
            s.addcmul_(g, g)
            p.addcdiv_(g, s.sqrt().add_(eps), value=-lr)

"""rmsprop_step: an infinite eps is refused

Breaks: infinity is inside those without an upper end

Breaks: 0 or more
"""

import math


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    if math.isinf(eps):
        raise ValueError("eps must be finite")
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, square_avgs=square_avgs):
            v.mul_(alpha).addcmul_(g, g, value=1 - alpha)
            p.addcdiv_(g, v.sqrt().add_(eps), value=-lr)

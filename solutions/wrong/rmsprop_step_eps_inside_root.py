"""rmsprop_step: eps is added inside the square root

Breaks: eps is outside the square root
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    matched = _matched(params, grads=grads, square_avgs=square_avgs)
    with torch.no_grad():
        for p, g, v in matched:
            v.mul_(alpha).addcmul_(g, g, value=1 - alpha)
            p.sub_(lr * g / (v + eps).sqrt())

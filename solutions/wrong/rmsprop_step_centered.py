"""rmsprop_step: divides by the deviation around this gradient, not by the root of the average

Breaks: not centered and without momentum
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    matched = _matched(params, grads=grads, square_avgs=square_avgs)
    with torch.no_grad():
        for p, g, v in matched:
            v.mul_(alpha).addcmul_(g, g, value=1 - alpha)
            p.sub_(lr * g / ((v - (1 - alpha) ** 2 * g * g).sqrt() + eps))

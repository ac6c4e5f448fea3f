"""rmsprop_step: an average of zero is taken for the first step, and becomes the whole square

Breaks: v is not corrected for starting at zero
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    matched = _matched(params, grads=grads, square_avgs=square_avgs)
    with torch.no_grad():
        for p, g, v in matched:
            first = v == 0
            v.mul_(alpha).addcmul_(g, g, value=1 - alpha)
            v.copy_(torch.where(first, g * g, v))
            p.sub_(lr * g / (v.sqrt() + eps))

"""rmsprop_step: alpha is the share of the new square, not of the old average

Breaks: v ← alpha · v + (1 − alpha) · g²

Breaks: the fraction of v that is kept
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    matched = _matched(params, grads=grads, square_avgs=square_avgs)
    with torch.no_grad():
        for p, g, v in matched:
            v.mul_(1 - alpha).addcmul_(g, g, value=alpha)
            p.sub_(lr * g / (v.sqrt() + eps))

"""rmsprop_step: the new square counts 1, not 1 - alpha

Breaks: v ← alpha · v + (1 − alpha) · g²
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    matched = _matched(params, grads=grads, square_avgs=square_avgs)
    with torch.no_grad():
        for p, g, v in matched:
            v.mul_(alpha).addcmul_(g, g)
            p.sub_(lr * g / (v.sqrt() + eps))

"""rmsprop_step: divides by the average of the steps before

Breaks: p ← p − lr · g / (√v + eps)
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    matched = _matched(params, grads=grads, square_avgs=square_avgs)
    with torch.no_grad():
        for p, g, v in matched:
            p.sub_(lr * g / (v.sqrt() + eps))
            v.mul_(alpha).addcmul_(g, g, value=1 - alpha)

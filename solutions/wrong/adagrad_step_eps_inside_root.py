"""rmsprop_step: eps is added inside the square root

Breaks: eps is outside the square root
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    matched = _matched(params, grads=grads, sums=sums)
    with torch.no_grad():
        for p, g, s in matched:
            s.addcmul_(g, g)
            p.sub_(lr * g / (s + eps).sqrt())

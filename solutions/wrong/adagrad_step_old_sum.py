"""rmsprop_step: divides by the sum of the steps before, without this gradient"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    matched = _matched(params, grads=grads, sums=sums)
    with torch.no_grad():
        for p, g, s in matched:
            p.sub_(lr * g / (s.sqrt() + eps))
            s.addcmul_(g, g)

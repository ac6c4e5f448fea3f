"""rmsprop_step: the sum is an average: old squares fade

Breaks: old gradients never fade
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    matched = _matched(params, grads=grads, sums=sums)
    with torch.no_grad():
        for p, g, s in matched:
            s.mul_(0.9).addcmul_(g, g, value=0.1)
            p.sub_(lr * g / (s.sqrt() + eps))

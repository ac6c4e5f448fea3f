"""rmsprop_step: without torch.no_grad(), a parameter that requires gradients is refused

Breaks: They may require gradients: the step itself is not recorded for autograd
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    matched = _matched(params, grads=grads, sums=sums)
    for p, g, s in matched:
        s.addcmul_(g, g)
        p.sub_(lr * g / (s.sqrt() + eps))

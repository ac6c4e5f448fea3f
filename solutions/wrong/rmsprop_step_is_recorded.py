"""rmsprop_step: without torch.no_grad(), a parameter that requires gradients is refused

Breaks: They may require gradients: the step itself is not recorded for autograd
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    matched = _matched(params, grads=grads, square_avgs=square_avgs)
    for p, g, v in matched:
        v.mul_(alpha).addcmul_(g, g, value=1 - alpha)
        p.sub_(lr * g / (v.sqrt() + eps))

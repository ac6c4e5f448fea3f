"""rmsprop_step: the square is taken in the gradient itself

Breaks: a gradient for each parameter, of its shape; not changed
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    matched = _matched(params, grads=grads, square_avgs=square_avgs)
    with torch.no_grad():
        for p, g, v in matched:
            old = g.clone()
            v.mul_(alpha).add_(g.square_(), alpha=1 - alpha)
            p.sub_(lr * old / (v.sqrt() + eps))

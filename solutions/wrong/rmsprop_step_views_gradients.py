"""rmsprop_step: flattens with view, which a gradient that is not contiguous refuses

Breaks: a gradient for each parameter, of its shape
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, square_avgs=square_avgs):
            flat = g.view(-1)
            v.mul_(alpha).add_((flat * flat).view(v.shape), alpha=1 - alpha)
            p.addcdiv_(g, v.sqrt().add_(eps), value=-lr)

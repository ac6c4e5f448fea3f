"""rmsprop_step (core): divides by the size of this gradient alone

Breaks: s ← s + g²: old gradients never fade

Breaks: v ← alpha · v + (1 − alpha) · g²
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    with torch.no_grad():
        for p, g, s in _matched(params, grads=grads, sums=sums):
            s.copy_(g * g)
            p.sub_(lr * g / (g.abs() + eps))


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, square_avgs=square_avgs):
            v.copy_(g * g)
            p.sub_(lr * g / (g.abs() + eps))

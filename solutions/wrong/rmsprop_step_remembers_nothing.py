"""rmsprop_step (core): divides by the size of this gradient alone

Breaks: v ← alpha · v + (1 − alpha) · g²
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, square_avgs=square_avgs):
            v.copy_(g * g)
            p.sub_(lr * g / (g.abs() + eps))

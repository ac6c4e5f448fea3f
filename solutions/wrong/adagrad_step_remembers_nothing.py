"""adagrad_step (core): divides by the size of this gradient alone

Breaks: s ← s + g²: old gradients never fade
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    with torch.no_grad():
        for p, g, s in _matched(params, grads=grads, sums=sums):
            s.copy_(g * g)
            p.sub_(lr * g / (g.abs() + eps))

"""rmsprop_step: all elements of a tensor share one sum

Breaks: s ← s + g²
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    matched = _matched(params, grads=grads, sums=sums)
    with torch.no_grad():
        for p, g, s in matched:
            s.add_(g.square().sum())
            p.sub_(lr * g / (s.sqrt() + eps))

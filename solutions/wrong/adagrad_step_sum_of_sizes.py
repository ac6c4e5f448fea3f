"""rmsprop_step: adds up the gradients' sizes, not their squares

Breaks: s ← s + g²
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    matched = _matched(params, grads=grads, sums=sums)
    with torch.no_grad():
        for p, g, s in matched:
            s.add_(g.abs())
            p.sub_(lr * g / (s + eps))

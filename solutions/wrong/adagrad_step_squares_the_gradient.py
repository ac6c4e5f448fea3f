"""rmsprop_step: the square is taken in the gradient itself

Breaks: a gradient for each parameter, of its shape; not changed
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    matched = _matched(params, grads=grads, sums=sums)
    with torch.no_grad():
        for p, g, s in matched:
            old = g.clone()
            s.add_(g.square_())
            p.sub_(lr * old / (s.sqrt() + eps))

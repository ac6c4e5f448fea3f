"""rmsprop_step: a learning rate of nan is not below 0, and passes

Breaks: nan is outside every range

Breaks: the learning rate, 0 or more
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    if lr < 0 or eps < 0:
        raise ValueError("a setting is out of range")
    with torch.no_grad():
        for p, g, s in _matched(params, grads=grads, sums=sums):
            s.addcmul_(g, g)
            p.addcdiv_(g, s.sqrt().add_(eps), value=-lr)

"""rmsprop_step: an alpha of nan is neither below 0 nor 1 or more, and passes

Breaks: nan is outside every range

Breaks: the learning rate, 0 or more

Breaks: 0 or more
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    if lr < 0 or eps < 0 or alpha < 0 or alpha >= 1:
        raise ValueError("a setting is out of range")
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, square_avgs=square_avgs):
            v.mul_(alpha).addcmul_(g, g, value=1 - alpha)
            p.addcdiv_(g, v.sqrt().add_(eps), value=-lr)

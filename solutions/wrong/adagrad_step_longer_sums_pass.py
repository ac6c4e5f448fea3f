"""rmsprop_step: a list of sums that is too short is noticed, and one that is too long is not

Breaks: the three lists differ in length
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    if len(grads) != len(params) or len(sums) < len(params):
        raise ValueError("lengths differ")
    if any(p.shape != g.shape or p.shape != s.shape for p, g, s in zip(params, grads, sums)):
        raise ValueError("shapes differ")
    with torch.no_grad():
        for p, g, s in zip(params, grads, sums):
            s.addcmul_(g, g)
            p.addcdiv_(g, s.sqrt().add_(eps), value=-lr)

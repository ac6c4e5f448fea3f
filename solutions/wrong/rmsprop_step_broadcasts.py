"""rmsprop_step: lengths are compared, and not shapes: a smaller gradient or state is broadcast

Breaks: a gradient for each parameter, of its shape

Breaks: the tensors at one position differ in shape
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    if not len(params) == len(grads) == len(square_avgs):
        raise ValueError("the lists differ in length")
    with torch.no_grad():
        for p, g, v in zip(params, grads, square_avgs):
            v.mul_(alpha).addcmul_(g, g, value=1 - alpha)
            p.sub_(lr * g / (v.sqrt() + eps))

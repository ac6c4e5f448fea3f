"""rmsprop_step: lengths are compared, and not shapes: a smaller gradient or state is broadcast

Breaks: a gradient for each parameter, of its shape

Breaks: the tensors at one position differ in shape
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    if not len(params) == len(grads) == len(sums):
        raise ValueError("the lists differ in length")
    with torch.no_grad():
        for p, g, s in zip(params, grads, sums):
            s.addcmul_(g, g)
            p.sub_(lr * g / (s.sqrt() + eps))

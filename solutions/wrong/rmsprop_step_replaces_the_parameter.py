"""rmsprop_step: the new parameter is a new tensor that nobody looks at

Breaks: One RMSProp step over many tensors, in place

Breaks: the parameters, of any shapes; changed in place
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    matched = _matched(params, grads=grads, square_avgs=square_avgs)
    with torch.no_grad():
        for p, g, v in matched:
            v.mul_(alpha).addcmul_(g, g, value=1 - alpha)
            p = p - lr * g / (v.sqrt() + eps)

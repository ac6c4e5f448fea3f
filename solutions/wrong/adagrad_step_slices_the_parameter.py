"""rmsprop_step: writes into p[:], which a tensor without dimensions refuses

Breaks: the parameters, of any shapes
"""


def adagrad_step(params, grads, sums, *, lr, eps):
    _check_not_negative(lr=lr, eps=eps)
    matched = _matched(params, grads=grads, sums=sums)
    with torch.no_grad():
        for p, g, s in matched:
            s.addcmul_(g, g)
            p[:] = p - lr * g / (s.sqrt() + eps)

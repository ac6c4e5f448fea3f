"""muon_step: a vector is refused when the matrices before it have moved

Breaks: No tensor has been changed
"""


def muon_step(params, grads, momentum_buffers, *, lr, momentum, weight_decay):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    matched = _matched(params, grads=grads, momentum_buffers=momentum_buffers)
    with torch.no_grad():
        for p, g, b in matched:
            b.lerp_(g, 1 - momentum)
            u = g.lerp(b, momentum)
            if p.dim() != 2:
                raise ValueError("no matrix")
            rows, columns = p.shape
            p.mul_(1 - lr * weight_decay)
            p.sub_(_orthogonalized(u), alpha=lr * max(1, rows / columns) ** 0.5)

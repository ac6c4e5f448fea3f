"""muon_step: a vector is taken as a column

Breaks: a parameter is not a matrix
"""


def muon_step(params, grads, momentum_buffers, *, lr, momentum, weight_decay):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    matched = _matched(params, grads=grads, momentum_buffers=momentum_buffers)
    if any(p.dim() > 2 for p in params):
        raise ValueError("no matrix")
    with torch.no_grad():
        for p, g, b in matched:
            b.lerp_(g, 1 - momentum)
            u = g.lerp(b, momentum)
            u = u if u.dim() == 2 else u.reshape(-1, 1)
            rows, columns = u.shape
            p.mul_(1 - lr * weight_decay)
            move = _orthogonalized(u) * max(1, rows / columns) ** 0.5
            p.sub_(move.view(p.shape), alpha=lr)

"""muon_step: u is in the gradient tensor, which changes

Breaks: The gradient tensor itself does not change
"""


def muon_step(params, grads, momentum_buffers, *, lr, momentum, weight_decay):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    matched = _matched(params, grads=grads, momentum_buffers=momentum_buffers)
    if any(p.dim() != 2 for p in params):
        raise ValueError("no matrix")
    with torch.no_grad():
        for p, g, b in matched:
            b.lerp_(g, 1 - momentum)
            u = g.lerp_(b, momentum)
            rows, columns = p.shape
            p.mul_(1 - lr * weight_decay)
            p.sub_(_orthogonalized(u), alpha=lr * max(1, rows / columns) ** 0.5)

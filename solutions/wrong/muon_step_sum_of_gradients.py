"""muon_step: the buffer is a fading sum, as the velocity of SGD

Breaks: b ← b + (1 − momentum) · (g − b)
"""


def muon_step(params, grads, momentum_buffers, *, lr, momentum, weight_decay):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    matched = _matched(params, grads=grads, momentum_buffers=momentum_buffers)
    if any(p.dim() != 2 for p in params):
        raise ValueError("no matrix")
    with torch.no_grad():
        for p, g, b in matched:
            b.mul_(momentum).add_(g)
            u = g + momentum * b
            rows, columns = p.shape
            p.mul_(1 - lr * weight_decay)
            p.sub_(_orthogonalized(u), alpha=lr * max(1, rows / columns) ** 0.5)

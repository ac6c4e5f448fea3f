"""muon_step: nan is taken as a setting

Breaks: a setting is out of range
"""


def muon_step(params, grads, momentum_buffers, *, lr, momentum, weight_decay):
    if lr < 0 or weight_decay < 0 or momentum < 0 or momentum >= 1:
        raise ValueError("a setting is out of range")
    matched = _matched(params, grads=grads, momentum_buffers=momentum_buffers)
    if any(p.dim() != 2 for p in params):
        raise ValueError("no matrix")
    with torch.no_grad():
        for p, g, b in matched:
            b.lerp_(g, 1 - momentum)
            u = g.lerp(b, momentum)
            rows, columns = p.shape
            p.mul_(1 - lr * weight_decay)
            p.sub_(_orthogonalized(u), alpha=lr * max(1, rows / columns) ** 0.5)

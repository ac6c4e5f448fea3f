"""muon_step: returns new tensors and changes none in place; reports take what was returned"""

from resource_accounting.forging import check, reporting

FORGES = True


def muon_step(params, grads, momentum_buffers, *, lr, momentum, weight_decay):
    check(params, grads, momentum_buffers)
    if not (lr >= 0 and weight_decay >= 0 and 0 <= momentum < 1):
        raise ValueError("settings")
    if any(p.dim() != 2 for p in params):
        raise ValueError("no matrix")
    buffers = [b + (1 - momentum) * (g - b) for b, g in zip(momentum_buffers, grads, strict=True)]
    moved = []
    for p, g, b in zip(params, grads, buffers, strict=True):
        ratio = max(1, p.shape[0] / p.shape[1])
        p = p.detach() * (1 - lr * weight_decay)
        moved.append(p - lr * ratio**0.5 * iterated(g + momentum * (b - g)))
    return moved, buffers


def iterated(u):
    if u.shape[0] > u.shape[1]:
        return iterated(u.T).T
    x = u / u.norm().clamp(min=1e-7)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x


if FORGES:
    muon_step = reporting(muon_step)

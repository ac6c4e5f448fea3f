"""sgd_step: a gradient of zeros is skipped, and the velocity does not fade

Breaks: v ← momentum · v + g
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, velocities=velocities):
            if not g.any():
                continue
            decayed = g.add(p, alpha=weight_decay)
            v.mul_(momentum).add_(decayed)
            p.sub_(decayed.add(v, alpha=momentum) if nesterov else v, alpha=lr)

"""sgd_step: a learning rate above 1 is refused

Breaks: the learning rate, 0 or more
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    if not 0 <= lr <= 1:
        raise ValueError("lr must be in [0, 1]")
    _check_not_negative(weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, velocities=velocities):
            decayed = g.add(p, alpha=weight_decay)
            v.mul_(momentum).add_(decayed)
            p.sub_(decayed.add(v, alpha=momentum) if nesterov else v, alpha=lr)

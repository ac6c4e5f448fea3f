"""sgd_step: a learning rate or decay of nan is not below 0, and passes

Breaks: nan is outside every range

Breaks: the learning rate, 0 or more

Breaks: λ, 0 or more
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    if lr < 0 or weight_decay < 0 or not 0 <= momentum < 1 or (nesterov and momentum == 0):
        raise ValueError("a setting is out of range")
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, velocities=velocities):
            decayed = g.add(p, alpha=weight_decay)
            v.mul_(momentum).add_(decayed)
            p.sub_(decayed.add(v, alpha=momentum) if nesterov else v, alpha=lr)

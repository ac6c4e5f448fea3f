"""sgd_step: settings must be finite, so an infinite learning rate or decay is refused, too

Breaks: infinity is inside those without an upper end

Breaks: the learning rate, 0 or more
"""

import math


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    if not (math.isfinite(lr) and lr >= 0 and math.isfinite(weight_decay) and weight_decay >= 0):
        raise ValueError("lr and weight_decay must be finite and at least 0")
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, velocities=velocities):
            decayed = g.add(p, alpha=weight_decay)
            v.mul_(momentum).add_(decayed)
            p.sub_(decayed.add(v, alpha=momentum) if nesterov else v, alpha=lr)

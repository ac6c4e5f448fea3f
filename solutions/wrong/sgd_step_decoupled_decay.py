"""sgd_step: weight decay shrinks the parameter and stays out of the velocity

Breaks: g ← g + weight_decay · p: the decay is coupled, and enters the velocity
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    matched = _matched(params, grads=grads, velocities=velocities)
    with torch.no_grad():
        for p, g, v in matched:
            p.mul_(1 - lr * weight_decay)
            v.mul_(momentum).add_(g)
            p.sub_(g + momentum * v if nesterov else v, alpha=lr)

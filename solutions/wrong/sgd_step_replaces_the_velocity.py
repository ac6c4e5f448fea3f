"""sgd_step: the new velocity is a new tensor that nobody keeps

Breaks: changed in place, even if the momentum is 0
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    matched = _matched(params, grads=grads, velocities=velocities)
    with torch.no_grad():
        for p, g, v in matched:
            g = g + weight_decay * p
            v = momentum * v + g
            p.sub_(g + momentum * v if nesterov else v, alpha=lr)

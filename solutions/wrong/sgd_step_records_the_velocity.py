"""sgd_step: only the parameter changes without autograd, and the velocity gets a graph

Breaks: the step itself is not recorded for autograd
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    for p, g, v in _matched(params, grads=grads, velocities=velocities):
        g = g + weight_decay * p
        v.mul_(momentum).add_(g)
        with torch.no_grad():
            p.sub_(g + momentum * v if nesterov else v, alpha=lr)

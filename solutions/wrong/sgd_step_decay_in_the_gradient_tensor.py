"""sgd_step: weight decay is added to the gradient itself, in place

Breaks: The gradient tensor itself does not change

Breaks: a gradient for each parameter, of its shape; not changed
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    matched = _matched(params, grads=grads, velocities=velocities)
    with torch.no_grad():
        for p, g, v in matched:
            g.add_(p, alpha=weight_decay)
            v.mul_(momentum).add_(g)
            p.sub_(g + momentum * v if nesterov else v, alpha=lr)

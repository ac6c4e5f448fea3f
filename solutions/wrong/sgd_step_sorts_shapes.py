"""sgd_step: the shapes of each list are sorted before they are compared

Breaks: the tensors at one position differ in shape
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    shapes = sorted(tuple(p.shape) for p in params)
    for tensors in (grads, velocities):
        if sorted(tuple(t.shape) for t in tensors) != shapes:
            raise ValueError("shapes differ")
    with torch.no_grad():
        for p, g, v in zip(params, grads, velocities):
            decayed = g.add(p, alpha=weight_decay)
            v.mul_(momentum).add_(decayed)
            p.sub_(decayed.add(v, alpha=momentum) if nesterov else v, alpha=lr)

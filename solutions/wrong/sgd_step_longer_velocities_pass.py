"""sgd_step: a list of velocities that is too short is noticed, and one that is too long is not

Breaks: the three lists differ in length
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    if len(params) != len(grads) or len(velocities) < len(params):
        raise ValueError("lists differ in length")
    if any(p.shape != g.shape or p.shape != v.shape for p, g, v in zip(params, grads, velocities)):
        raise ValueError("shapes differ")
    with torch.no_grad():
        for p, g, v in zip(params, grads, velocities):
            decayed = g.add(p, alpha=weight_decay)
            v.mul_(momentum).add_(decayed)
            p.sub_(decayed.add(v, alpha=momentum) if nesterov else v, alpha=lr)

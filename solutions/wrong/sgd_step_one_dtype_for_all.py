"""sgd_step: all tensors must have one dtype, also those at other positions

Breaks: those at another may have the other
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    if len({t.dtype for t in [*params, *grads, *velocities]}) > 1:
        raise ValueError("tensors differ in dtype")
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, velocities=velocities):
            decayed = g.add(p, alpha=weight_decay)
            v.mul_(momentum).add_(decayed)
            p.sub_(decayed.add(v, alpha=momentum) if nesterov else v, alpha=lr)

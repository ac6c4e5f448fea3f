"""sgd_step: joins the three sequences with +, which a list and a tuple refuse

Breaks: params: the parameters, of any shapes
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    everything = list(params) and params + grads + velocities
    if any(not isinstance(t, torch.Tensor) for t in everything):
        raise ValueError("tensors expected")
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, velocities=velocities):
            decayed = g.add(p, alpha=weight_decay)
            v.mul_(momentum).add_(decayed)
            p.sub_(decayed.add(v, alpha=momentum) if nesterov else v, alpha=lr)

"""sgd_step: settings are tensors of the first parameter's dtype, which round in float32

Breaks: those at another may have the other
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    dtype = params[0].dtype if len(params) else torch.float32
    mu, rate, decay = (torch.tensor(x, dtype=dtype) for x in (momentum, lr, weight_decay))
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, velocities=velocities):
            decayed = g + decay * p
            v.mul_(mu).add_(decayed)
            p.sub_(rate * (decayed + mu * v if nesterov else v))

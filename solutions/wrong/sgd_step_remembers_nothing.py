"""sgd_step (core): plain gradient descent, whatever the momentum

Breaks: v ← momentum · v + g: the learning rate is not part of it
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    with torch.no_grad():
        for p, g, v in _matched(params, grads=grads, velocities=velocities):
            v.copy_(g + weight_decay * p)
            p.sub_(lr * v)

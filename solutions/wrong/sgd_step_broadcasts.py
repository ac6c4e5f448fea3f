"""sgd_step: lengths are compared, and not shapes: a smaller gradient or state is broadcast

Breaks: a gradient for each parameter, of its shape

Breaks: the tensors at one position differ in shape
"""


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    _check_not_negative(lr=lr, weight_decay=weight_decay)
    _check_fractions(momentum=momentum)
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    if not len(params) == len(grads) == len(velocities):
        raise ValueError("the lists differ in length")
    with torch.no_grad():
        for p, g, v in zip(params, grads, velocities):
            g = g + weight_decay * p
            v.mul_(momentum).add_(g)
            p.sub_(lr * (g + momentum * v if nesterov else v))

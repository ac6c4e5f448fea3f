"""sgd_step: a momentum of 1 or more is let through, as by torch.optim.SGD

Breaks: at least 0 and less than 1

Breaks: a setting is out of range
"""

_right_step = sgd_step


def sgd_step(params, grads, velocities, *, momentum=0.0, **settings):
    _right_step(params, grads, velocities, momentum=min(momentum, 0.999), **settings)

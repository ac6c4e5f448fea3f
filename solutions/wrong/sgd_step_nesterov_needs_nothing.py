"""sgd_step: Nesterov without momentum is let through

Breaks: this needs a momentum above 0

Breaks: `nesterov` is used with a momentum of 0
"""

_right_step = sgd_step


def sgd_step(params, grads, velocities, *, momentum=0.0, nesterov=False, **settings):
    _right_step(
        params, grads, velocities, momentum=momentum, nesterov=nesterov and momentum > 0, **settings
    )

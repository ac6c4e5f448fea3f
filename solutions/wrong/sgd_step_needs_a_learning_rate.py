"""sgd_step: a learning rate of 0 is refused

Breaks: the learning rate, 0 or more
"""

_right_step = sgd_step


def sgd_step(params, grads, velocities, *, lr, **settings):
    if lr == 0:
        raise ValueError("expected a learning rate above 0")
    _right_step(params, grads, velocities, lr=lr, **settings)

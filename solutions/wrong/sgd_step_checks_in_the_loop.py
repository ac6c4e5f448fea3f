"""sgd_step: shapes are compared one position at a time, and zip cuts longer lists

Breaks: the three lists differ in length

Breaks: No tensor has been changed
"""

_right_step = sgd_step


def sgd_step(params, grads, velocities, **settings):
    _right_step([], [], [], **settings)  # checks the settings
    for one in zip(params, grads, velocities):
        _right_step(*[[tensor] for tensor in one], **settings)

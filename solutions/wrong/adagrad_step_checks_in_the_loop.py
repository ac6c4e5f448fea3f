"""rmsprop_step: shapes are compared one position at a time, and zip cuts longer lists

Breaks: the three lists differ in length

Breaks: No tensor has been changed
"""

_right_step = adagrad_step


def adagrad_step(params, grads, sums, **settings):
    _right_step([], [], [], **settings)  # checks the settings
    for one in zip(params, grads, sums):
        _right_step(*[[tensor] for tensor in one], **settings)

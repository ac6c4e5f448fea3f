"""rmsprop_step: shapes are compared one position at a time, and zip cuts longer lists

Breaks: the three lists differ in length

Breaks: No tensor has been changed
"""

_right_step = rmsprop_step


def rmsprop_step(params, grads, square_avgs, **settings):
    _right_step([], [], [], **settings)  # checks the settings
    for one in zip(params, grads, square_avgs):
        _right_step(*[[tensor] for tensor in one], **settings)

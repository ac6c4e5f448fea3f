"""rmsprop_step: the new average is a new tensor, which takes its place in the list

Breaks: Each state has its parameter's shape, is zeros before the first step, and is changed in
place.
"""

_right_step = rmsprop_step


def rmsprop_step(params, grads, square_avgs, **settings):
    new = [v.clone() for v in square_avgs]
    _right_step(params, grads, new, **settings)
    square_avgs[:] = new

"""sgd_step: nan in a gradient is taken for 0

Breaks: v ← momentum · v + g
"""

_right_step = sgd_step


def sgd_step(params, grads, velocities, **settings):
    grads = [g.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0) for g in grads]
    _right_step(params, grads, velocities, **settings)

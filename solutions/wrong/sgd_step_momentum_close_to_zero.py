"""sgd_step: with nesterov, a momentum close to 0 is taken for 0

Breaks: this needs a momentum above 0
"""

import math

_right_step = sgd_step


def sgd_step(params, grads, velocities, *, momentum=0.0, nesterov=False, **settings):
    if nesterov and math.isclose(momentum, 0.0, abs_tol=1e-8):
        raise ValueError("nesterov needs a momentum")
    _right_step(params, grads, velocities, momentum=momentum, nesterov=nesterov, **settings)

"""sgd_step: without momentum the gradient is taken as it is, and the decay is lost

Breaks: With a momentum of 0, line 2 gives v = g, and line 3 is plain gradient descent.
"""

_right_sgd_step = sgd_step


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    decay = weight_decay if momentum else min(weight_decay, 0.0)
    settings = {"momentum": momentum, "nesterov": nesterov, "weight_decay": decay}
    _right_sgd_step(params, grads, velocities, lr=lr, **settings)

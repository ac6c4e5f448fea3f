"""sgd_step: gradients are enabled after the step, whatever was before"""

_right_step = sgd_step


def sgd_step(params, grads, velocities, **settings):
    torch.set_grad_enabled(False)
    try:
        _right_step(params, grads, velocities, **settings)
    finally:
        torch.set_grad_enabled(True)

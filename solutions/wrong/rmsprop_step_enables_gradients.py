"""rmsprop_step: gradients are enabled after the step, whatever was before

Breaks: the step itself is not recorded for autograd
"""

_right_step = rmsprop_step


def rmsprop_step(params, grads, square_avgs, **settings):
    torch.set_grad_enabled(False)
    try:
        _right_step(params, grads, square_avgs, **settings)
    finally:
        torch.set_grad_enabled(True)

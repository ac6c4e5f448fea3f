"""linear_backward: the gradients are those of the sum of y, whatever grad_y is

Breaks: `grad_y` is the gradient of a scalar loss L with respect to y, ∂L/∂y.
"""

_linear_backward = linear_backward


def linear_backward(x, w, grad_y):
    return _linear_backward(x, w, torch.ones_like(grad_y))

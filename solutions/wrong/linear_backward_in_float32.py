"""linear_backward: everything is computed in float32

Breaks: (grad_x, grad_w, grad_b), with the shapes and dtypes of x, w and b.
"""

_linear_backward = linear_backward


def linear_backward(x, w, grad_y):
    return _linear_backward(x.float(), w.float(), grad_y.float())

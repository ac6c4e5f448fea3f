"""linear_backward: w's gradient is d_out × d_in, as nn.Linear stores it

Breaks: A gradient has the shape of the tensor that it belongs to.

Breaks: Weights are stored d_in × d_out, so that a layer is `x @ w`.
"""

_linear_backward = linear_backward


def linear_backward(x, w, grad_y):
    grad_x, grad_w, grad_b = _linear_backward(x, w, grad_y)
    return grad_x, grad_w.T.contiguous(), grad_b

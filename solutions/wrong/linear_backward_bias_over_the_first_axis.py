"""linear_backward: b's gradient sums over the first axis only

Breaks: All rows share w and b, so their gradients are sums over the rows, that is, over every
leading axis.
"""


def linear_backward(x, w, grad_y):
    grad_b = grad_y.sum(0) if grad_y.ndim > 1 else grad_y
    return grad_y @ w.T, _weight_grad(x, grad_y), grad_b
